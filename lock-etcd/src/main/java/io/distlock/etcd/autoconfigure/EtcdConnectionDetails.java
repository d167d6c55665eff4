package io.distlock.etcd.autoconfigure;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Where etcd is, and who asks. A bean of this type takes the place of the properties: Docker Compose and Testcontainers
 * support supply one.
 */
public interface EtcdConnectionDetails extends ConnectionDetails {

    /** The members of the cluster, as {@code http://host:port}, or {@code https://host:port} with TLS. */
    List<URI> endpoints();

    /** The user's name, if etcd asks for it. */
    default Optional<String> user() {
        return Optional.empty();
    }

    /** The user's password. */
    default Optional<String> password() {
        return Optional.empty();
    }

    /** What TLS connections are made with, if they are. */
    default Optional<SslBundle> sslBundle() {
        return Optional.empty();
    }
}
