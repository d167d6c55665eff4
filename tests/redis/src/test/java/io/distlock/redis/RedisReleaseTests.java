package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RedisReleaseTests {

    private static final Duration MUCH_LONGER_THAN_PATIENCE = Duration.ofHours(1);

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    /** Neither the end of the lease nor the last look before the deadline comes in time. */
    @ParameterizedTest
    @EnumSource
    void isToldToThoseWhoWait(LockMode mode, RedisProbe probe) {
        try (TestClient one = TestClient.of(redis.server().endpoint());
                TestClient other = TestClient.of(redis.server().endpoint())) {
            HeldLock held = one.locks.acquire(one.locks
                    .request("orders")
                    .withMode(mode)
                    .withMaxHoldTime(MUCH_LONGER_THAN_PATIENCE.multipliedBy(2))
                    .withLeaseTime(MUCH_LONGER_THAN_PATIENCE));
            CompletableFuture<HeldLock> waiter;
            try (CommandRecorder recorder = probe.record()) {
                waiter =
                        other.locks.acquireAsync(other.locks.request("orders").withWaitTime(MUCH_LONGER_THAN_PATIENCE));
                // The second try follows the subscription.
                await().atMost(TestClient.PATIENCE)
                        .until(() -> recorder.names().stream()
                                        .filter("EVALSHA"::equals)
                                        .count()
                                == 2);
            }
            assertThat(held.release()).isEqualTo(Release.RELEASED);
            TestClient.get(waiter).close();
        }
    }
}
