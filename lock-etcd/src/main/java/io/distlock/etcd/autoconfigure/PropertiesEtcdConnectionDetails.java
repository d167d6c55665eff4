package io.distlock.etcd.autoconfigure;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** Where etcd is by the properties. */
final class PropertiesEtcdConnectionDetails implements EtcdConnectionDetails {

    private final EtcdLockProperties properties;
    private final @Nullable SslBundle sslBundle;

    PropertiesEtcdConnectionDetails(EtcdLockProperties properties, @Nullable SslBundles bundles) {
        this.properties = properties;
        this.sslBundle = bundle(properties.ssl().bundle(), bundles);
    }

    private static @Nullable SslBundle bundle(@Nullable String name, @Nullable SslBundles bundles) {
        if (name == null) {
            return null;
        }
        if (bundles == null) {
            throw new IllegalStateException("distributed-lock.etcd.ssl.bundle is '" + name
                    + "', but the application has no SSL bundles: define it under spring.ssl.bundle");
        }
        return bundles.getBundle(name);
    }

    @Override
    public List<URI> getEndpoints() {
        return properties.endpoints().stream()
                .map(PropertiesEtcdConnectionDetails::uri)
                .toList();
    }

    private static URI uri(String endpoint) {
        try {
            return new URI(endpoint);
        } catch (URISyntaxException unreadable) {
            // It shows the endpoint, and so is no cause.
            throw new IllegalArgumentException("distributed-lock.etcd.endpoints has an entry (not shown, it may hold a"
                    + " password) that cannot be read: write each as http://host:port, or https://host:port with TLS");
        }
    }

    @Override
    public @Nullable String getUser() {
        return properties.user();
    }

    @Override
    public @Nullable String getPassword() {
        return properties.password();
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
        return sslBundle;
    }
}
