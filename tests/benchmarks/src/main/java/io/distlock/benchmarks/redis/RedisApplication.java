package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.store.Application;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.RedisLockProvider;
import io.distlock.redis.connection.RedisConnections;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Applications on a Redis, as Boot would wire them. */
final class RedisApplication {

    private RedisApplication() {}

    static Application at(String host, int port, Runnable afterwards) {
        RedisLockOptions options = RedisLockOptions.defaults();
        // Never started: only its settings are read.
        RedisConnections connections = RedisConnections.like(
                new LettuceConnectionFactory(host, port), options.callTimeout(), options.connectTimeout());
        return Application.start(runtime -> new RedisLockProvider(runtime, connections, options), () -> {
            connections.close();
            afterwards.run();
        });
    }

    static Application at(String host, int port) {
        return at(host, port, () -> {});
    }
}
