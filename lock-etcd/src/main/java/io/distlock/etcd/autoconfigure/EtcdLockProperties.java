package io.distlock.etcd.autoconfigure;

import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.EtcdServers;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;

/**
 * Locks in etcd.
 *
 * @param enabled Whether to offer locks in etcd. Default: true if distributed-lock.provider is etcd or unset.
 * @param endpoints The members of the cluster, as http://host:port, or https://host:port with an SSL bundle. Not used if
 *     the application has a jetcd Client of its own.
 * @param user The user name, if etcd requires one.
 * @param password The user's password.
 * @param authority The name expected in the servers' certificates, if not that of the endpoint.
 * @param namespace Prefix of all keys in etcd, before distributed-lock.key-prefix.
 * @param connectTimeout How long connecting may take, 10ms to 60s.
 * @param callTimeout How long to wait for one call to etcd, 10ms to 60s.
 * @param session Whether locks with the same lease time share an etcd lease (shared), or have one each (per-lock).
 */
@ConfigurationProperties("distributed-lock.etcd")
record EtcdLockProperties(
        @Nullable Boolean enabled,
        @DefaultValue("http://localhost:2379") List<String> endpoints,
        @Nullable String user,
        @Nullable String password,
        @DefaultValue Ssl ssl,
        @Nullable String authority,
        @Nullable String namespace,
        @DefaultValue("2s") Duration connectTimeout,
        @DefaultValue("1s") Duration callTimeout,
        @DefaultValue("shared") EtcdLockOptions.Session session) {

    EtcdLockProperties {
        endpoints = List.copyOf(endpoints);
        // The options hold the rules; an invalid value is found during binding.
        EtcdLockOptions.defaults().withCallTimeout(callTimeout);
        EtcdServers.at(List.of(URI.create("http://localhost:2379"))).withConnectTimeout(connectTimeout);
    }

    /**
     * TLS.
     *
     * @param bundle The SSL bundle for connections to etcd. Without one they are not encrypted.
     */
    record Ssl(@Nullable String bundle) {}

    EtcdLockOptions options(String keyPrefix) {
        return EtcdLockOptions.defaults()
                .withKeyPrefix(keyPrefix)
                .withCallTimeout(callTimeout)
                .withSession(session);
    }

    EtcdConnectionDetails connectionDetails(@Nullable SslBundles bundles) {
        SslBundle sslBundle = bundle(bundles);
        return new EtcdConnectionDetails() {

            @Override
            public List<URI> getEndpoints() {
                return endpoints.stream().map(EtcdLockProperties::uri).toList();
            }

            @Override
            public @Nullable String getUser() {
                return user;
            }

            @Override
            public @Nullable String getPassword() {
                return password;
            }

            @Override
            public @Nullable SslBundle getSslBundle() {
                return sslBundle;
            }
        };
    }

    private @Nullable SslBundle bundle(@Nullable SslBundles bundles) {
        String name = ssl.bundle();
        if (name == null) {
            return null;
        }
        if (bundles == null) {
            throw new IllegalStateException("distributed-lock.etcd.ssl.bundle is '" + name
                    + "', but the application has no SSL bundles: define it under spring.ssl.bundle");
        }
        return bundles.getBundle(name);
    }

    EtcdServers servers(List<EtcdConnectionDetails> all) {
        EtcdConnectionDetails first = all.get(0);
        return new EtcdServers(
                all.stream().flatMap(details -> details.getEndpoints().stream()).toList(),
                Optional.ofNullable(first.getUser()),
                Optional.ofNullable(first.getPassword()),
                Optional.ofNullable(first.getSslBundle()).map(EtcdLockProperties::tls),
                Optional.ofNullable(authority),
                Optional.ofNullable(namespace),
                connectTimeout);
    }

    private static SslContext tls(SslBundle bundle) {
        SslOptions options = bundle.getOptions();
        SslContextBuilder builder = GrpcSslContexts.forClient()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        if (options.getEnabledProtocols() != null) {
            builder.protocols(options.getEnabledProtocols());
        }
        if (options.getCiphers() != null) {
            builder.ciphers(List.of(options.getCiphers()));
        }
        try {
            return builder.build();
        } catch (SSLException failure) {
            throw new IllegalStateException("the SSL bundle for etcd cannot be used: " + failure.getMessage(), failure);
        }
    }

    private static URI uri(String endpoint) {
        try {
            return new URI(endpoint);
        } catch (URISyntaxException unreadable) {
            // Without the cause, which shows the endpoint.
            throw new IllegalArgumentException(
                    "distributed-lock.etcd.endpoints has an entry (not shown, as it may"
                            + " contain a password) that cannot be read: write each as http://host:port, or https://host:port with TLS");
        }
    }

    /** Without values: endpoints may hold a password until they are refused. */
    @Override
    public String toString() {
        return "EtcdLockProperties";
    }
}
