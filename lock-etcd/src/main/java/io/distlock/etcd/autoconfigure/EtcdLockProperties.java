package io.distlock.etcd.autoconfigure;

import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.EtcdServers;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Locks in etcd.
 *
 * @param enabled Whether to offer locks in etcd. By default, if distributed-lock.provider is etcd or not set.
 * @param endpoints The members of the cluster, as http://host:port, or https://host:port with an SSL bundle. Not used if
 *     the application has a jetcd Client of its own.
 * @param user The user's name, if etcd asks for it.
 * @param password The user's password.
 * @param authority The name that the servers' certificates are expected to bear, if it is not that of the endpoint.
 * @param namespace What all keys in etcd begin with, in front of distributed-lock.key-prefix.
 * @param connectTimeout The longest that a connection may take to be made, 10ms to 60s.
 * @param callTimeout The longest that one call to etcd is waited for, 10ms to 60s.
 * @param session Whether locks with the same lease time share a lease of etcd (shared), or have one each (per-lock).
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
        // The rules are those of the options; broken ones are to be found while properties are bound.
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

    /** Shows no value of a property: endpoints may hold a password until they are refused. */
    @Override
    public String toString() {
        return "EtcdLockProperties";
    }
}
