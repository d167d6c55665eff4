package io.distlock.etcd.autoconfigure;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Where etcd is, and who asks. A bean of this type takes the place of the properties: Docker Compose and Testcontainers
 * support supply one. Of several beans the endpoints are put together, and all else is the first one's.
 */
public interface EtcdConnectionDetails extends ConnectionDetails {

    /** The members of the cluster, as {@code http://host:port}, or {@code https://host:port} with TLS. */
    List<URI> getEndpoints();

    /** The user's name; null if etcd does not ask. */
    default @Nullable String getUser() {
        return null;
    }

    /** The user's password; null if etcd does not ask. */
    default @Nullable String getPassword() {
        return null;
    }

    /** What makes connections secure; null without TLS. */
    default @Nullable SslBundle getSslBundle() {
        return null;
    }
}
