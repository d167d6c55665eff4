package io.distlock.etcd;

import io.netty.handler.ssl.SslContext;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Which etcd to connect to, and how. Immutable; an invalid value is rejected with an
 * {@link IllegalArgumentException} that names the value, the rule and the fix.
 *
 * @param endpoints the members, as {@code http://host:port}, or {@code https://host:port} with TLS; one or more, of one
 *     cluster, without user info. Calls are distributed among them
 * @param user the user name, if etcd requires one; only with a password
 * @param password the user's password
 * @param tls if present, connections use TLS. Created with {@code io.grpc.netty.GrpcSslContexts}, or with ALPN for HTTP/2
 * @param authority the name expected in the servers' certificates, if not that of the endpoint
 * @param namespace prefix of all keys in etcd, before the locks' key prefix; for users who may access no other keys
 * @param connectTimeout how long the first calls of a process wait for its first connection. 10 ms to 60 s
 */
public record EtcdServers(
        List<URI> endpoints,
        Optional<String> user,
        Optional<String> password,
        Optional<SslContext> tls,
        Optional<String> authority,
        Optional<String> namespace,
        Duration connectTimeout) {

    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    public EtcdServers {
        endpoints = List.copyOf(endpoints);
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException(
                    "no endpoints: name at least one member of the cluster, such as http://localhost:2379");
        }
        // Before any message shows an endpoint.
        if (endpoints.stream().anyMatch(endpoint -> endpoint.toString().contains("@"))) {
            throw new IllegalArgumentException(
                    "an endpoint (not shown) contains a user or a password: remove everything up to and including the"
                            + " \"@\", and configure user and password separately");
        }
        for (URI endpoint : endpoints) {
            requireEndpoint(endpoint, tls.isPresent());
        }
        if (user.isPresent() != password.isPresent()) {
            throw new IllegalArgumentException(
                    "a " + (user.isPresent() ? "user without a password" : "password without a user")
                            + ": give both, or neither");
        }
        Objects.requireNonNull(authority, "authority must not be null: use Optional.empty() for none");
        Objects.requireNonNull(namespace, "namespace must not be null: use Optional.empty() for none");
        EtcdLockOptions.requireTimeout("connect timeout", connectTimeout);
    }

    /** These members, without TLS or credentials; connecting takes at most 5 s. */
    public static EtcdServers at(List<URI> endpoints) {
        Optional<String> none = Optional.empty();
        return new EtcdServers(endpoints, none, none, Optional.empty(), none, none, CONNECT_TIMEOUT);
    }

    /** These members, with TLS and without credentials; connecting takes at most 5 s. */
    public static EtcdServers at(List<URI> endpoints, SslContext tls) {
        Optional<String> none = Optional.empty();
        return new EtcdServers(endpoints, none, none, Optional.of(tls), none, none, CONNECT_TIMEOUT);
    }

    public EtcdServers withCredentials(String user, String password) {
        return new EtcdServers(
                endpoints, Optional.of(user), Optional.of(password), tls, authority, namespace, connectTimeout);
    }

    public EtcdServers withAuthority(String authority) {
        return new EtcdServers(endpoints, user, password, tls, Optional.of(authority), namespace, connectTimeout);
    }

    public EtcdServers withNamespace(String namespace) {
        return new EtcdServers(endpoints, user, password, tls, authority, Optional.of(namespace), connectTimeout);
    }

    public EtcdServers withConnectTimeout(Duration connectTimeout) {
        return new EtcdServers(endpoints, user, password, tls, authority, namespace, connectTimeout);
    }

    private static void requireEndpoint(URI endpoint, boolean withTls) {
        boolean https = "https".equals(endpoint.getScheme());
        if (endpoint.getHost() == null || !(https || "http".equals(endpoint.getScheme()))) {
            throw new IllegalArgumentException(
                    "endpoint \"" + endpoint
                            + "\" is not an http or https address: write it as http://host:port, or https://host:port with TLS");
        }
        if (https != withTls) {
            throw new IllegalArgumentException("endpoint \"" + endpoint + "\" "
                    + (https
                            ? "uses https, but TLS is not configured: configure TLS, or use http"
                            : "uses http, but TLS is configured: use https"));
        }
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "EtcdServers[" + endpoints + user.map(name -> ", user " + name).orElse("")
                + (tls.isPresent() ? ", TLS" : "") + "]";
    }
}
