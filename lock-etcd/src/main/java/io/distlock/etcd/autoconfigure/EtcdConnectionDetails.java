package io.distlock.etcd.autoconfigure;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * The endpoints of etcd, and the credentials. A bean of this type replaces the properties. Docker Compose and Testcontainers
 * support provide one. With several beans, all endpoints are used; the first provides the rest.
 */
public interface EtcdConnectionDetails extends ConnectionDetails {

    /** The members of the cluster, as {@code http://host:port}, or {@code https://host:port} with TLS. */
    List<URI> getEndpoints();

    /** The user's name; null if not required. */
    default @Nullable String getUser() {
        return null;
    }

    /** The user's password; null if not required. */
    default @Nullable String getPassword() {
        return null;
    }

    /** For TLS; null without. */
    default @Nullable SslBundle getSslBundle() {
        return null;
    }
}
