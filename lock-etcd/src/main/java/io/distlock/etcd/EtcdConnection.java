package io.distlock.etcd;

import com.google.common.util.concurrent.MoreExecutors;
import io.distlock.etcd.client.ClientInterceptors;
import io.distlock.etcd.client.ClientInterceptors.ChannelCapture;
import io.distlock.etcd.client.EndpointResolver;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.etcd.watch.SharedWatches;
import io.distlock.support.LockRuntime;
import io.distlock.support.Timeouts;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.api.WatchGrpc;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The locks' own connections to etcd. Creating one does not connect yet. Thread-safe. */
public final class EtcdConnection implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EtcdConnection.class);

    /** etcd treats more than one ping in five seconds as an attack, and without calls more than one in two hours. */
    private static final Duration PING_EVERY = Duration.ofSeconds(10);

    /** A lock may have many waiters, all read at once. */
    private static final int LARGEST_ANSWER = 64 << 20;

    final Client client;
    /** The driver's channel. */
    final ChannelCapture capture;

    private final ByteSequence namespace;

    private final List<URI> endpoints;
    private final Duration connectTimeout;
    private final BiFunction<LockRuntime, Duration, SharedWatches> watches;
    private final Runnable onClose;

    EtcdConnection(
            Client client,
            ChannelCapture capture,
            ByteSequence namespace,
            List<URI> endpoints,
            Duration connectTimeout,
            BiFunction<LockRuntime, Duration, SharedWatches> watches,
            Runnable onClose) {
        this.client = client;
        this.capture = capture;
        this.namespace = namespace;
        this.endpoints = endpoints;
        this.connectTimeout = connectTimeout;
        this.watches = watches;
        this.onClose = onClose;
    }

    /**
     * Dedicated connections, configured for locks. The server knows each call's deadline, no call is held back until a
     * server is up, no write is sent twice, and only servers that know a leader are used. Since nothing here blocks, calls are sent
     * on the caller's thread and answered on the one that reads the connection, instead of on two thread pools.
     */
    public static EtcdConnection to(EtcdServers servers, EtcdLockOptions options) {
        return to(servers, options, builder -> {});
    }

    /** As {@link #to(EtcdServers, EtcdLockOptions)}; {@code customizer} may change the builder of the client at the end. */
    public static EtcdConnection to(
            EtcdServers servers, EtcdLockOptions options, Consumer<? super ClientBuilder> customizer) {
        return to(servers, options, customizer, InetAddress::getAllByName);
    }

    static EtcdConnection to(
            EtcdServers servers,
            EtcdLockOptions options,
            Consumer<? super ClientBuilder> customizer,
            EndpointResolver.Lookup lookup) {
        ChannelCapture capture = new ChannelCapture(options.callTimeout());
        EndpointResolver resolver = new EndpointResolver(servers.endpoints(), lookup);
        ClientBuilder builder = Client.builder()
                .waitForReady(false)
                .retryMaxAttempts(1)
                .retryDelay(10)
                .retryMaxDelay(100)
                .connectTimeout(servers.connectTimeout())
                .keepaliveTime(PING_EVERY)
                .keepaliveTimeout(options.callTimeout())
                .keepaliveWithoutCalls(false)
                .maxInboundMessageSize(LARGEST_ANSWER)
                .header("hasleader", "true")
                .executorService(MoreExecutors.newDirectExecutorService())
                .target(resolver.target())
                .interceptor(new ClientInterceptors.CallRules(options.callTimeout()), capture);
        servers.authority().ifPresent(builder::authority);
        servers.tls().ifPresent(builder::sslContext);
        servers.user().ifPresent(user -> builder.user(bytes(user)));
        servers.password().ifPresent(password -> builder.password(bytes(password)));
        servers.namespace().ifPresent(namespace -> builder.namespace(bytes(namespace)));
        customizer.accept(builder);
        Client client = builder.build();
        // Before the client's first call, which is when it asks for the resolver.
        resolver.register();
        return new EtcdConnection(
                client,
                capture,
                builder.namespace(),
                servers.endpoints(),
                servers.connectTimeout(),
                (runtime, callTimeout) -> new SharedWatches(
                        () -> watchStub(servers, client, capture),
                        builder.namespace(),
                        runtime,
                        callTimeout.dividedBy(2)),
                () -> {
                    close(client);
                    resolver.close();
                });
    }

    /** Locks that are only held make no call by which the driver learns that its token has expired. */
    private static WatchGrpc.WatchStub watchStub(EtcdServers servers, Client client, ChannelCapture capture) {
        servers.user().ifPresent(user -> client.getKVClient().get(bytes(user)));
        return capture.watches();
    }

    private static void close(Client client) {
        try {
            client.close();
        } catch (RuntimeException failure) {
            // gRPC fails if a call begins while its channel shuts down; the channel is closed anyway.
            log.debug("The etcd client failed while it was closed", failure);
        }
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    /** With the servers' addresses, for diagnostics. */
    String name() {
        return "etcd " + endpoints;
    }

    /** How many servers share the calls. */
    int members() {
        return endpoints.size();
    }

    Duration connectTimeout() {
        return connectTimeout;
    }

    EtcdCalls calls(Timeouts timeouts, Duration limit, int members) {
        return new EtcdCalls(client, capture, namespace, timeouts, limit, members);
    }

    SharedWatches watches(LockRuntime runtime, Duration callTimeout) {
        return watches.apply(runtime, callTimeout);
    }

    @Override
    public void close() {
        onClose.run();
    }
}
