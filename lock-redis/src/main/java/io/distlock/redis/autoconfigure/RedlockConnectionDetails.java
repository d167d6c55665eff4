package io.distlock.redis.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * The independent Redis servers of Redlock and how to connect to them. A bean of this type replaces the properties:
 * Docker Compose support supplies one for each server, and tests one for their containers. The nodes of several beans
 * are put together.
 */
public interface RedlockConnectionDetails extends ConnectionDetails {

    /** The servers; those of all beans together are three or more, an odd number. */
    List<Node> getNodes();

    /** What makes connections secure, to servers all of which speak TLS; if null, the Java runtime's own trust. */
    default @Nullable SslBundle getSslBundle() {
        return null;
    }

    /**
     * One server.
     *
     * @param username for the ACL; null for the default user
     * @param password null if the server does not ask
     * @param database its number, 0 if nothing else is wanted
     * @param tls whether it speaks TLS
     */
    record Node(
            String host,
            int port,
            @Nullable String username,
            @Nullable String password,
            int database,
            boolean tls) {

        /** Without what is secret. */
        @Override
        public String toString() {
            return host + ':' + port;
        }
    }
}
