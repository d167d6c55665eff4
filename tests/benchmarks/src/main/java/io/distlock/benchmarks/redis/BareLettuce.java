package io.distlock.benchmarks.redis;

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
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EpollProvider;
import java.time.Duration;
import java.util.concurrent.ExecutionException;

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
}
