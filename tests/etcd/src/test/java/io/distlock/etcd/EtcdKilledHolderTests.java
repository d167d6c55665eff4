package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdLease;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A holder whose process is killed, and can tell nobody. */
class EtcdKilledHolderTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final Logger log = LoggerFactory.getLogger(EtcdKilledHolderTests.class);
    private static final LockKey KEY = LockKey.of("killed");
    /** The next one is waiting before it is over, also on a machine that stands still for once. */
    private static final Duration LEASE = Duration.ofSeconds(12);

    private static final Duration LOCK_DELAY = Duration.ofSeconds(3);

    /** etcd looks for leases that are over twice a second; then the next one is told, and waits for the lock-delay. */
    private static final Duration AT_MOST_LATER = LOCK_DELAY.plusMillis(1500);

    /** What a machine that is busy with other things may take on top of a time limit. */
    private static final Duration SLOW_MACHINE = Duration.ofSeconds(30);

    @Test
    void theNextHasTheLockAfterItsTimeAndLockDelayAndNotMuchLater() throws IOException, InterruptedException {
        Process holder = HolderJvm.start(etcd.server().uri(), KEY, LEASE, LOCK_DELAY);
        try (TestClient next = TestClient.of(etcd.server().endpoint());
                BufferedReader said = holder.inputReader()) {
            // The log may say something before.
            assertThat(said.lines().anyMatch("held"::equals)).isTrue();
            CompletableFuture<Long> granted = next.locks
                    .acquireAsync(next.locks.request(KEY).withWaitTime(Duration.ofMinutes(1)))
                    .thenApply(lock -> next.runtime.ticker().nanos());
            await().atMost(TestClient.PATIENCE).until(() -> next.waiters(KEY) == 1);
            long lease = leaseOfHolder();
            // It is extended every quarter of both times: so what is left is more than the delay, until it is killed.
            LocalEtcd.awaitExtended(
                    () -> etcd.probe().lease(lease).orElseThrow().remaining());
            long before = next.runtime.ticker().nanos();
            Duration left = etcd.probe().lease(lease).orElseThrow().remaining();
            holder.destroyForcibly().waitFor();
            long killed = next.runtime.ticker().nanos();
            long had = granted.orTimeout(1, TimeUnit.MINUTES).join();
            Duration after = Duration.ofNanos(had - killed);
            log.info(
                    "had {} ms after the kill, with about {} s left; at most {} ms by promise",
                    after.toMillis(),
                    left.toSeconds(),
                    LEASE.plus(LOCK_DELAY).plus(AT_MOST_LATER).toMillis());
            assertThat(left).isGreaterThanOrEqualTo(LOCK_DELAY);
            assertThat(Duration.ofNanos(had - before)).isGreaterThanOrEqualTo(left);
            assertThat(after)
                    .isLessThan(LEASE.plus(LOCK_DELAY).plus(AT_MOST_LATER).plus(SLOW_MACHINE));
        } finally {
            holder.destroyForcibly();
        }
    }

    private static long leaseOfHolder() {
        return etcd.probe().leases().stream()
                .map(each -> etcd.probe().lease(each).orElseThrow())
                .filter(each -> each.granted().equals(LEASE.plus(LOCK_DELAY)))
                .mapToLong(EtcdLease::id)
                .findFirst()
                .orElseThrow();
    }
}
