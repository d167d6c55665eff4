package io.distlock.tck;

import static io.distlock.tck.ContractFixture.PATIENCE;
import static io.distlock.tck.ContractFixture.assertExpired;
import static io.distlock.tck.ContractFixture.now;
import static io.distlock.tck.ContractFixture.patiently;
import static io.distlock.tck.ContractFixture.uniqueKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A writer waits for the last of several readers with different lease times, delays and minimum hold times. */
abstract class SharedLeasesContract extends ContractPart {

    /** How much longer one reader lasts than the others. */
    private static final Duration LONGER = Duration.ofMillis(2_500);

    SharedLeasesContract(ContractFixture fixture) {
        super(fixture);
    }

    @Test
    void aWriterWaitsForTheReaderWithTheLongestLeaseWhicheverCameFirst() {
        needsSharedMode();
        for (boolean longestFirst : new boolean[] {true, false}) {
            LockKey key = uniqueKey();
            LockRequest brief = briefly(reading(other(), key)).withRenew(false);
            LockRequest longer = reading(one(), key)
                    .withRenew(false)
                    .withLeaseTime(traits().shortLease().plus(LONGER));
            HeldLock first = longestFirst ? one().acquire(longer) : other().acquire(brief);
            HeldLock second = longestFirst ? other().acquire(brief) : one().acquire(longer);
            try (HeldLock writer = writer(key)) {
                assertThat(writer.isHeld()).isTrue();
                assertThat(first.isHeld() || second.isHeld()).isFalse();
                assertExpired(first);
                assertExpired(second);
            }
        }
    }

    @Test
    void aReaderThatIsRenewedDoesNotShortenTheLeasesOfOthers() {
        needsSharedMode();
        LockKey key = uniqueKey();
        HeldLock longest = one().acquire(reading(one(), key)
                .withRenew(false)
                .withLeaseTime(traits().shortLease().multipliedBy(2).plus(LONGER)));
        long granted = runtime().ticker().nanos();
        Duration lease = traits().shortLease().plusSeconds(1);
        HeldLock renewed = other().acquire(reading(other(), key).withLeaseTime(lease));
        // Held for longer than its lease, it has been renewed.
        awaitPassed(granted, lease);
        renewed.release();
        try (HeldLock writer = writer(key)) {
            assertThat(writer.isHeld()).isTrue();
            assertThat(longest.isHeld()).isFalse();
        }
    }

    @Test
    void aWriterWaitsForTheMinimumHoldTimeOfAReaderThatOthersCameAfter() {
        needsSharedMode();
        LockKey key = uniqueKey();
        Duration minimum = traits().shortLease().plus(LONGER);
        long granted = runtime().ticker().nanos();
        one().acquire(reading(one(), key).withMinHoldTime(minimum)).release();
        other().acquire(briefly(reading(other(), key))).release();
        try (HeldLock writer = writer(key)) {
            assertThat(writer.isHeld()).isTrue();
            // Stores count in milliseconds, from when the request reached them.
            assertThat(since(granted)).isGreaterThanOrEqualTo(minimum.minusMillis(2));
        }
    }

    @Test
    void aWriterWaitsForTheLockDelayOfAReaderThatHasVanishedAndThatOthersCameAfter() {
        needsSharedMode();
        LockKey key = uniqueKey();
        LockClient doomed = newClient(newProvider());
        long granted = runtime().ticker().nanos();
        doomed.acquire(briefly(reading(doomed, key)).withLockDelay(LONGER));
        doomed.close();
        other().acquire(briefly(reading(other(), key))).release();
        try (HeldLock writer = writer(key)) {
            assertThat(writer.isHeld()).isTrue();
            assertThat(since(granted))
                    .isGreaterThanOrEqualTo(traits().shortLease().plus(LONGER));
        }
    }

    /** A writer that keeps asking, and gets the lock as soon as nothing prevents it. */
    private HeldLock writer(LockKey key) {
        return await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreException(LockUnavailableException.class)
                .until(() -> other().tryAcquire(now(other(), key)), Optional::isPresent)
                .orElseThrow();
    }

    private static LockRequest reading(LockClient client, LockKey key) {
        return patiently(client, key).withMode(LockMode.SHARED);
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(runtime().ticker().nanos() - nanos);
    }

    private void awaitPassed(long sinceNanos, Duration time) {
        await().atMost(PATIENCE).until(() -> since(sinceNanos).compareTo(time) > 0);
    }
}
