package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.store.Contestant;
import io.distlock.redis.RedisLockProvider;
import io.distlock.test.redis.RedisEndpoint;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EpollProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * The driver by itself, on one connection with the options that the locks' own connection has. What those are is private
 * to the provider, so they are repeated here: no timer for each command, no queue while disconnected, keep-alive.
 */
final class BareLettuce implements AutoCloseable {

    private static final Duration KEEP_ALIVE = Duration.ofSeconds(5);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    BareLettuce(RedisEndpoint endpoint) {
        this(RedisClient.create(RedisURI.create(endpoint.uri())));
    }

    /**
     * One of several.
     *
     * @param resources that they share; stay open
     */
    BareLettuce(RedisEndpoint endpoint, ClientResources resources) {
        this(RedisClient.create(resources, RedisURI.create(endpoint.uri())));
    }

    private BareLettuce(RedisClient client) {
        this.client = client;
        client.setOptions(options());
        connection = client.connect(StringCodec.UTF8);
    }

    private static ClientOptions options() {
        return ClientOptions.builder()
                .autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .publishOnScheduler(false)
                .pingBeforeActivateConnection(true)
                .socketOptions(sockets())
                .build();
    }

    private static SocketOptions sockets() {
        SocketOptions.Builder builder = SocketOptions.builder()
                .connectTimeout(CONNECT_TIMEOUT)
                .keepAlive(KeepAliveOptions.builder()
                        .enable()
                        .idle(KEEP_ALIVE)
                        .interval(KEEP_ALIVE)
                        .count(2)
                        .build());
        if (EpollProvider.isAvailable()) {
            builder.tcpUserTimeout(TcpUserTimeoutOptions.builder()
                    .enable()
                    .tcpUserTimeout(KEEP_ALIVE.multipliedBy(3))
                    .build());
        }
        return builder.build();
    }

    RedisAsyncCommands<String, String> commands() {
        return connection.async();
    }

    /** Waits in the cheapest way there is: the blocking interface of the driver adds a proxy and a time limit. */
    static <T> T await(RedisFuture<T> reply) {
        try {
            return reply.get();
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException("Redis did not do what it was asked", failure);
        }
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }

    /** What stands in Redis for one item, made beforehand, and the arguments that all items have. */
    static final class BareNames {

        static final String TIME_TO_LIVE_MILLIS = "30000";
        static final String WAIT_MILLIS = "5000";
        static final String FREE_NOW = "0";
        static final String FENCE_OF_A_NODE = "bare:fence";

        private static final String OWNER = "0123456789abcdef0123456789abcdef-";
        private static final int RADIX = 36;
        private static final AtomicLong OWNERS = new AtomicLong();

        final String[] toAcquire;
        final String[] toAcquireOnANode;
        final String[] toRelease;
        final String channel;

        private BareNames(int item) {
            String tag = "bench:" + item;
            String lock = "bare:{" + tag + '}';
            String waiting = lock + ":waiting";
            String fence = "bare:fence:{" + SlotHash.getSlot(tag) + '}';
            this.toAcquire = new String[] {lock, lock + ":readers", waiting, fence};
            this.toAcquireOnANode = new String[] {lock, lock + ":readers", waiting, FENCE_OF_A_NODE};
            this.toRelease = new String[] {lock};
            this.channel = lock + ":released";
        }

        /** Of all items, in their order. */
        static List<BareNames> all() {
            return IntStream.range(0, Contestant.ITEMS).mapToObj(BareNames::new).toList();
        }

        /** Another one each time. */
        static String nextOwner() {
            return OWNER + Long.toString(OWNERS.incrementAndGet(), RADIX);
        }
    }

    /** The provider's own scripts, for the bare driver. */
    static final class BareScripts {

        /** Of a single Redis. */
        static final String ACQUIRE = script("token-single") + script("acquire-exclusive");

        /** Of one node of several. */
        static final String ACQUIRE_ON_A_NODE = script("token-redlock-node") + script("acquire-exclusive");

        static final String RELEASE = script("release-exclusive");

        private BareScripts() {}

        private static String script(String name) {
            String file = "script/" + name + ".lua";
            try (InputStream stream = RedisLockProvider.class.getResourceAsStream(file)) {
                if (stream == null) {
                    throw new IllegalStateException("the provider has no script " + file);
                }
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }
    }
}
