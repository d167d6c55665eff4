package io.distlock.redis.fence;

import io.distlock.LockClient;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.RedisLockProvider;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The locks of one application. */
final class LocksOnRedis implements AutoCloseable {

    /** This machine may stand still for longer than a call may usually take. */
    private static final RedisLockOptions PATIENT = RedisLockOptions.defaults()
            .withCallTimeout(Duration.ofSeconds(10))
            .withConnectTimeout(Duration.ofSeconds(10));

    private final LockRuntime runtime = LockRuntime.start();
    private final RedisConnections connections;
    private final RedisLockProvider provider;
    final LockClient locks;

    /** @param factory never started: only its settings are read */
    LocksOnRedis(LettuceConnectionFactory factory) {
        connections = RedisConnections.like(factory, PATIENT.callTimeout(), PATIENT.connectTimeout());
        provider = new RedisLockProvider(runtime, connections, PATIENT);
        locks = LockClientBuilder.of(provider, runtime)
                .options(LockOptions.defaults().withWaitTime(Duration.ZERO).withLeaseTime(Duration.ofSeconds(60)))
                .shutdownTimeout(Duration.ZERO)
                .build();
    }

    @Override
    public void close() {
        locks.close();
        provider.close();
        connections.close();
        runtime.close();
    }
}
