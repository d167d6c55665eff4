package io.distlock.redis.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * The independent Redis servers of Redlock and how to connect to them. A bean of this type replaces the properties:
 * Docker Compose support supplies one per server, and tests supply one for their containers. The nodes of several beans
 * are combined.
 */
public interface RedlockConnectionDetails extends ConnectionDetails {

    /** The servers; across all beans, three or more, an odd number. */
    List<Node> getNodes();

    /** Secures the connections, all of which must use TLS. If null, the Java runtime's trust store applies. */
    default @Nullable SslBundle getSslBundle() {
        return null;
    }

    /**
     * One server.
     *
     * @param username for the ACL; null for the default user
     * @param password null if the server needs none
     * @param database its number, 0 by default
     * @param tls whether it requires TLS
     */
    record Node(
            String host,
            int port,
            @Nullable String username,
            @Nullable String password,
            int database,
            boolean tls) {

        /** Without secrets. */
        @Override
        public String toString() {
            return host + ':' + port;
        }
    }
}
