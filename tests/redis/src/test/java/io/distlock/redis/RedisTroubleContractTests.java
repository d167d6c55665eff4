package io.distlock.redis;

import io.distlock.redis.connection.RedisConnections;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.tck.StoreFaults;
import io.distlock.tck.StoreTraits;
import io.distlock.tck.StoreTroubleContract;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisExtension;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisTroubleContractTests extends StoreTroubleContract {

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    static FaultProxy proxy;
    static RedisConnections connections;
    static RedisConnections untroubled;

    @BeforeAll
    static void open() {
        proxy = FaultProxy.to(redis.server().host(), redis.server().port());
        connections =
                LocalRedis.connections(redis.server().endpoint().withPort(proxy.port()), RedisLockOptions.defaults());
        untroubled = LocalRedis.connections(redis.server().endpoint());
    }

    /** How long a cold driver takes is no matter of these tests. */
    @BeforeAll
    static void warmUp() {
        TestClient.of(redis.server().endpoint()).close();
    }

    @AfterAll
    static void close() {
        connections.close();
        untroubled.close();
        proxy.close();
    }

    @Override
    protected LockProvider createProvider(LockRuntime runtime) {
        return new RedisLockProvider(runtime, connections, RedisLockOptions.defaults());
    }

    @Override
    protected LockProvider createUntroubledProvider(LockRuntime runtime) {
        return new RedisLockProvider(runtime, untroubled, TestClient.PATIENT);
    }

    @Override
    protected StoreTraits traits() {
        return new StoreTraits(false, Duration.ofMillis(900), Duration.ofMillis(100));
    }

    @Override
    protected StoreFaults faults() {
        return new StoreFaults() {
            @Override
            public void freeze() {
                redis.server().freeze();
            }

            @Override
            public void thaw() {
                redis.server().thaw();
            }

            @Override
            public void cut() {
                proxy.cut();
            }

            @Override
            public void disconnect() {
                proxy.refuse();
                proxy.cut();
            }

            @Override
            public void reconnect() {
                proxy.accept();
            }
        };
    }
}
