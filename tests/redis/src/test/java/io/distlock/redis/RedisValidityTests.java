package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockMode;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisExtension;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lease begins for its holder before the request leaves: Redis has begun to count when the reply is still on its way. */
class RedisValidityTests {

    private static final Duration LATE = Duration.ofSeconds(1);

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    private FaultProxy proxy;
    private TestClient client;

    @BeforeEach
    void connect() {
        proxy = FaultProxy.to(redis.server().host(), redis.server().port());
        client = TestClient.of(redis.server().endpoint().withPort(proxy.port()));
    }

    @AfterEach
    void disconnect() {
        proxy.pass();
        client.close();
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource
    void aGrantIsBelievedFromWhenItWasAskedFor(LockMode mode) {
        Duration lease = Duration.ofSeconds(60);
        proxy.delayReplies(LATE);
        HeldLock held = client.locks.acquire(
                client.locks.request("orders").withMode(mode).withLeaseTime(lease));
        assertThat(held.remaining()).isPositive().isLessThanOrEqualTo(lease.minus(LATE));
    }

    @ParameterizedTest
    @EnumSource
    void aRenewalIsBelievedFromWhenItWasAskedFor(LockMode mode) {
        Duration lease = Duration.ofSeconds(15);
        HeldLock held = client.locks.acquire(
                client.locks.request("orders").withMode(mode).withLeaseTime(lease));
        proxy.delayReplies(LATE);
        // It shrinks until a renewal is confirmed.
        Duration[] least = {held.remaining()};
        await().atMost(TestClient.PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> {
            Duration now = held.remaining();
            boolean renewed = now.compareTo(least[0]) > 0;
            least[0] = now;
            return renewed;
        });
        assertThat(held.remaining()).isLessThanOrEqualTo(lease.minus(LATE));
    }
}
