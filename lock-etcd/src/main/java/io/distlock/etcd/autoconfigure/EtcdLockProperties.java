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
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;

/**
 * Locks in etcd.
 *
 * @param enabled Whether to offer locks in etcd. Default: true if distributed-lock.provider is etcd or unset.
 * @param endpoints The members of the cluster, as http://host:port, or https://host:port with an SSL bundle.
 * @param user The user name, if etcd requires one.
 * @param password The user's password.
 * @param authority The name expected in the servers' certificates, if not that of the endpoint.
 * @param namespace Prefix of all keys in etcd, before distributed-lock.key-prefix.
 * @param connectTimeout How long the first calls of a process wait for its first connection, 10ms to 60s.
 * @param callTimeout How long to wait for one call to etcd, 10ms to 60s.
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
        @DefaultValue("5s") Duration connectTimeout,
        @DefaultValue("1s") Duration callTimeout) {

    EtcdLockProperties {
        endpoints = List.copyOf(endpoints);
        // The options hold the rules; each violation should name its property.
        check("distributed-lock.etcd.call-timeout", callTimeout, EtcdLockOptions.defaults()::withCallTimeout);
        check("distributed-lock.etcd.connect-timeout", connectTimeout, USUAL::withConnectTimeout);
    }

    private static final String ENDPOINTS = "distributed-lock.etcd.endpoints";

    private static final EtcdServers USUAL = EtcdServers.at(List.of(URI.create("http://localhost:2379")));

    /**
     * TLS.
     *
     * @param bundle The SSL bundle for connections to etcd. Without one they are not encrypted.
     */
    record Ssl(@Nullable String bundle) {}

    EtcdLockOptions options(String keyPrefix) {
        check("distributed-lock.key-prefix", keyPrefix, EtcdLockOptions.defaults()::withKeyPrefix);
        return EtcdLockOptions.defaults().withKeyPrefix(keyPrefix).withCallTimeout(callTimeout);
    }

    EtcdConnectionDetails connectionDetails(@Nullable SslBundles bundles) {
        Function<Object, List<URI>> uris =
                hidden -> endpoints.stream().map(EtcdLockProperties::uri).toList();
        String name = ssl.bundle();
        Configured details = new Configured(
                check(ENDPOINTS, null, uris),
                user,
                password,
                name == null ? null : check("distributed-lock.etcd.ssl.bundle", name, each -> bundle(each, bundles)));
        String credential = "distributed-lock.etcd." + (user == null ? "password" : "user");
        check(credential, null, hidden -> servers(USUAL.endpoints(), details, Optional.empty()));
        return details;
    }

    private record Configured(
            List<URI> getEndpoints,
            @Nullable String getUser,
            @Nullable String getPassword,
            @Nullable SslBundle getSslBundle)
            implements EtcdConnectionDetails {

        /** Without secrets. */
        @Override
        public String toString() {
            return "distributed-lock.etcd";
        }
    }

    private static SslBundle bundle(String name, @Nullable SslBundles bundles) {
        if (bundles == null) {
            throw new IllegalArgumentException("there are no SSL bundles: define spring.ssl.bundle.*");
        }
        return bundles.getBundle(name);
    }

    /** If these properties name the endpoints, a violation names the property. */
    EtcdServers servers(List<EtcdConnectionDetails> all) {
        EtcdConnectionDetails first = all.get(0);
        Optional<SslContext> tls = Optional.ofNullable(first.getSslBundle()).map(EtcdLockProperties::tls);
        List<URI> uris =
                all.stream().flatMap(details -> details.getEndpoints().stream()).toList();
        Function<Object, EtcdServers> servers = hidden -> servers(uris, first, tls);
        return all.stream().allMatch(Configured.class::isInstance)
                ? check(ENDPOINTS, null, servers)
                : servers.apply(all);
    }

    private EtcdServers servers(List<URI> uris, EtcdConnectionDetails details, Optional<SslContext> tls) {
        return new EtcdServers(
                uris,
                Optional.ofNullable(details.getUser()),
                Optional.ofNullable(details.getPassword()),
                tls,
                Optional.ofNullable(authority),
                Optional.ofNullable(namespace),
                connectTimeout);
    }

    /**
     * Applies a rule to a property; the failure names both.
     *
     * @param value null if it must not be shown
     */
    private static <T extends @Nullable Object, R> R check(String property, T value, Function<? super T, R> rule) {
        try {
            return rule.apply(value);
        } catch (IllegalArgumentException | NoSuchSslBundleException broken) {
            String why = String.valueOf(broken.getMessage());
            // If Boot knew the property's name, it would show its value.
            throw value == null
                    ? new IllegalArgumentException("The property " + property + " cannot be used: " + why, broken)
                    : new InvalidConfigurationPropertyValueException(property, value, why);
        }
    }

    private static SslContext tls(SslBundle bundle) {
        SslOptions options = bundle.getOptions();
        SslContextBuilder builder = GrpcSslContexts.forClient()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        PropertyMapper present = PropertyMapper.get();
        present.from(options::getEnabledProtocols).to(builder::protocols);
        present.from(options::getCiphers).as(List::of).to(builder::ciphers);
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
            throw new IllegalArgumentException((endpoint.contains("@")
                            ? "an entry (not shown, as it may contain a password)"
                            : "\"" + endpoint + "\"")
                    + " cannot be read: write each as http://host:port, or https://host:port with TLS");
        }
    }

    /** Without values: endpoints may hold a password until they are refused. */
    @Override
    public String toString() {
        return "EtcdLockProperties";
    }
}
