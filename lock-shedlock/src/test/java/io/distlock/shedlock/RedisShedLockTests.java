package io.distlock.shedlock;

import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.RedisLockProvider;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.redis.RedisExtension;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class RedisShedLockTests extends ShedLockKit {

    private static final RedisLockOptions OPTIONS = RedisLockOptions.defaults().withCallTimeout(Duration.ofSeconds(10));

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    static RedisConnections connections;

    @BeforeAll
    static void connect() {
        var endpoint = redis.server().endpoint();
        connections = RedisConnections.like(
                new LettuceConnectionFactory(endpoint.host(), endpoint.port()),
                OPTIONS.callTimeout(),
                OPTIONS.connectTimeout());
    }

    @AfterAll
    static void disconnect() {
        connections.close();
    }

    /** Its tests use the same names. */
    @Override
    LockProvider createProvider(LockRuntime runtime) {
        redis.probe().flushAll();
        return new RedisLockProvider(runtime, connections, OPTIONS);
    }
}
