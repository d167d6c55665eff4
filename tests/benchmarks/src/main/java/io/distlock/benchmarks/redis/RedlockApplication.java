package io.distlock.benchmarks.redis;

import io.distlock.benchmarks.store.Application;
import io.distlock.redis.redlock.RedlockConnections;
import io.distlock.redis.redlock.RedlockOptions;
import io.distlock.redis.redlock.RedlockProvider;
import io.distlock.test.redis.RedisEndpoint;
import java.util.List;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Applications on several Redis servers. With the defaults but for the restart guard, which would begin each run with a
 * minute in which servers just started give no votes; from Redis 7 on it sends no command of its own for a lock.
 */
final class RedlockApplication {

    private RedlockApplication() {}

    static Application at(List<RedisEndpoint> nodes, Runnable afterwards) {
        RedlockOptions options = RedlockOptions.defaults().withoutRestartGuard();
        // Never started: only their settings are read.
        List<LettuceConnectionFactory> factories = nodes.stream()
                .map(node -> new LettuceConnectionFactory(node.host(), node.port()))
                .toList();
        RedlockConnections connections = RedlockConnections.to(factories, options);
        return Application.start(runtime -> new RedlockProvider(runtime, connections, options), () -> {
            connections.close();
            afterwards.run();
        });
    }
}
