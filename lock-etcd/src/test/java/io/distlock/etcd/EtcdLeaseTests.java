package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EtcdLeaseTests {

    private static EtcdLease granted(Duration leaseTime) {
        LockOptions options = LockOptions.defaults().withLeaseTime(leaseTime);
        LeaseRequest request = new LeaseRequest(
                LockKey.of("granted"),
                LockMode.EXCLUSIVE,
                "owner",
                options,
                Deadline.in(leaseTime, new ManualTicker()));
        return new EtcdLease(null, new QueuePlace(request, null, null, 0, 0), 1, 0);
    }

    /** Others leave it a grace of a second to hear of its loss. */
    @Test
    void aWatchThatBreaksAgainAndAgainBeginsAnewWithinHalfASecond() {
        EtcdLease lock = granted(Duration.ofHours(1));
        for (int turn = 0; turn < 50; turn++) {
            lock.watchAgain(0);
            assertThat(Duration.ofNanos(lock.dueNanos)).isLessThanOrEqualTo(Duration.ofMillis(500));
        }
    }

    @Test
    void ofTwoExtensionsAtTheSameTimeTheLongerCounts() {
        List<EtcdLease> locks = Stream.generate(() -> granted(Duration.ofSeconds(30)))
                .limit(5_000)
                .toList();
        AtomicInteger arrived = new AtomicInteger();
        CompletableFuture<Void> shorter =
                CompletableFuture.runAsync(() -> extend(locks, Duration.ofMinutes(1), arrived));
        extend(locks, Duration.ofMinutes(2), arrived);
        shorter.join();
        long afterTheShorter = Duration.ofSeconds(90).toNanos();
        assertThat(locks).noneMatch(lock -> lock.isExpired(afterTheShorter));
    }

    /** Waits for the other thread before each. */
    private static void extend(List<EtcdLease> locks, Duration time, AtomicInteger arrived) {
        Moment since = new Moment(0, 0);
        for (int at = 0; at < locks.size(); at++) {
            arrived.incrementAndGet();
            while (arrived.get() < 2 * (at + 1)) {
                Thread.onSpinWait();
            }
            locks.get(at).extend(since, time);
        }
    }
}
