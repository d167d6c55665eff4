package io.distlock.redis;

import io.distlock.redis.connection.RedisConnections;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.LockProviderContract;
import io.distlock.tck.StoreTraits;
import io.distlock.test.redis.RedisExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisLockProviderContractTests extends LockProviderContract {

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    static final List<RedisConnections> SEPARATE = new ArrayList<>();

    static RedisConnections connections;

    @BeforeAll
    static void open() {
        connections = LocalRedis.connections(redis.server().endpoint());
    }

    /** How long a cold driver takes is no matter of these tests. */
    @BeforeAll
    static void warmUp() {
        TestClient.of(redis.server().endpoint()).close();
    }

    @AfterAll
    static void close() {
        connections.close();
        SEPARATE.forEach(RedisConnections::close);
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return new RedisLockProvider(runtime, connections, TestClient.PATIENT);
    }

    @Override
    protected LockProvider createSeparateProvider(LockRuntime runtime) {
        SEPARATE.add(LocalRedis.connections(redis.server().endpoint()));
        return new RedisLockProvider(runtime, SEPARATE.get(SEPARATE.size() - 1), TestClient.PATIENT);
    }

    @Override
    protected StoreTraits traits() {
        return new StoreTraits(false, Duration.ofMillis(600), Duration.ofMillis(100));
    }
}
