package io.distlock.etcd.autoconfigure;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** Where etcd is by the properties. */
final class PropertiesEtcdConnectionDetails implements EtcdConnectionDetails {

    private final EtcdLockProperties properties;
    private final Optional<SslBundle> sslBundle;

    PropertiesEtcdConnectionDetails(EtcdLockProperties properties, @Nullable SslBundles bundles) {
        this.properties = properties;
        this.sslBundle = Optional.ofNullable(properties.ssl().bundle()).map(name -> {
            if (bundles == null) {
                throw new IllegalStateException("distributed-lock.etcd.ssl.bundle is '" + name
                        + "', but the application has no SSL bundles: define it under spring.ssl.bundle");
            }
            return bundles.getBundle(name);
        });
    }

    @Override
    public List<URI> endpoints() {
        return properties.endpoints();
    }

    @Override
    public Optional<String> user() {
        return Optional.ofNullable(properties.user());
    }

    @Override
    public Optional<String> password() {
        return Optional.ofNullable(properties.password());
    }

    @Override
    public Optional<SslBundle> sslBundle() {
        return sslBundle;
    }
}
