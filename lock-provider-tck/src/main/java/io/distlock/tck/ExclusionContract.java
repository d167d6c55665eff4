package io.distlock.tck;

import static io.distlock.tck.ContractFixture.LONG_PATIENCE;
import static io.distlock.tck.ContractFixture.PATIENCE;
import static io.distlock.tck.ContractFixture.assertRefused;
import static io.distlock.tck.ContractFixture.get;
import static io.distlock.tck.ContractFixture.now;
import static io.distlock.tck.ContractFixture.patiently;
import static io.distlock.tck.ContractFixture.refusal;
import static io.distlock.tck.ContractFixture.uniqueKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which holders exclude each other, and which do not. */
abstract class ExclusionContract extends ContractPart {

    ExclusionContract(ContractFixture fixture) {
        super(fixture);
    }

    @Test
    void aHeldLockIsRefusedToAnotherClient() {
        LockKey key = uniqueKey();
        try (HeldLock held = one().acquire(patiently(one(), key))) {
            assertThat(held.isHeld()).isTrue();
            assertThat(refusal(other(), now(other(), key).withWaitTime(Duration.ofSeconds(1)))
                            .key())
                    .isEqualTo(key);
        }
    }

    @Test
    void exclusiveHoldersNeverOverlap() {
        UnguardedCounter witness = new UnguardedCounter();
        LockKey key = uniqueKey();
        int rounds = 25;
        List<CompletableFuture<Void>> workers = new ArrayList<>();
        for (LockClient client : List.of(one(), other(), one(), other())) {
            workers.add(CompletableFuture.runAsync(
                    () -> {
                        for (int round = 0; round < rounds; round++) {
                            HeldLock lock = client.acquire(now(client, key).withWaitTime(LONG_PATIENCE));
                            witness.increment();
                            lock.close();
                        }
                    },
                    task -> new Thread(task, "contract-worker").start()));
        }
        workers.forEach(worker -> get(worker, LONG_PATIENCE));
        assertThat(witness.value()).isEqualTo(4 * rounds);
        assertThat(witness.sawAnother()).isFalse();
    }

    @Test
    void sharedHoldersHoldTogether() {
        needsSharedMode();
        LockKey key = uniqueKey();
        try (HeldLock reader = one().acquire(patiently(one(), key).withMode(LockMode.SHARED));
                HeldLock second = other().acquire(patiently(other(), key).withMode(LockMode.SHARED))) {
            assertThat(reader.isHeld()).isTrue();
            assertThat(second.isHeld()).isTrue();
        }
    }

    /** Not by an exclusive lock, which would be no less safe but would deadlock readers that wait for each other. */
    @Test
    void aProviderWithoutSharedModeSaysSo() {
        assumeFalse(traits().sharedMode(), "has shared mode");
        LeaseRequest asked = leaseRequest(uniqueKey(), "reader");
        LeaseRequest reading =
                new LeaseRequest(asked.key(), LockMode.SHARED, asked.owner(), asked.options(), asked.deadline());
        assertThat(provider().acquire(reading))
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aWriterWaitsForTheLastReader() {
        needsSharedMode();
        LockKey key = uniqueKey();
        HeldLock first = one().acquire(patiently(one(), key).withMode(LockMode.SHARED));
        HeldLock second = other().acquire(patiently(other(), key).withMode(LockMode.SHARED));
        CompletableFuture<HeldLock> writer = one().acquireAsync(patiently(one(), key));
        first.release();
        assertThat(writer).isNotDone();
        second.release();
        get(writer).close();
    }

    @Test
    void aReaderIsRefusedWhileAWriterHolds() {
        needsSharedMode();
        LockKey key = uniqueKey();
        try (HeldLock writer = one().acquire(patiently(one(), key))) {
            assertRefused(other(), now(other(), key).withMode(LockMode.SHARED));
            assertThat(writer.isHeld()).isTrue();
        }
    }

    @Test
    void readersThatKeepComingDoNotStarveAWriter() {
        needsSharedMode();
        LockKey key = uniqueKey();
        LockRequest reading = now(other(), key).withMode(LockMode.SHARED);
        HeldLock first = other().acquire(reading.withWaitTime(PATIENCE));
        CompletableFuture<HeldLock> writer = one().acquireAsync(patiently(one(), key));
        List<HeldLock> readers = Collections.synchronizedList(new ArrayList<>(List.of(first)));
        // Readers overlap: there is no moment without one(), until new ones are kept out for the writer.
        await().atMost(PATIENCE).ignoreException(LockUnavailableException.class).until(() -> {
            Optional<HeldLock> next = other().tryAcquire(reading);
            next.ifPresent(readers::add);
            return next.isEmpty();
        });
        readers.forEach(HeldLock::release);
        get(writer).close();
    }

    @Test
    void keysThatLookAlikeDoNotMeet() {
        List<LockKey> keys = List.of(
                LockKey.of("a"),
                LockKey.of("a/b"),
                LockKey.of("a", "b"),
                LockKey.of("a:b"),
                LockKey.of("a%3Ab"),
                LockKey.of("{x}"),
                LockKey.of("x"),
                LockKey.of("x y"),
                LockKey.of("x", "released"),
                LockKey.of("x", "readers"),
                LockKey.of("ä"),
                LockKey.of("𝄞"));
        List<HeldLock> held = new ArrayList<>();
        for (LockKey key : keys) {
            held.add(one().acquire(patiently(one(), key)));
        }
        assertThat(held).allMatch(HeldLock::isHeld);
        keys.forEach(key -> assertRefused(other(), now(other(), key)));
        assertThat(held).allSatisfy(lock -> assertThat(lock.release()).isEqualTo(Release.RELEASED));
    }

    @Test
    void severalKeysAreAllOrNothing() {
        LockKey free = uniqueKey();
        LockKey taken = uniqueKey();
        try (HeldLock obstacle = other().acquire(patiently(other(), taken))) {
            assertRefused(one(), one().request(List.of(free, taken)));
            assertThat(obstacle.isHeld()).isTrue();
            await().atMost(PATIENCE).untilAsserted(() -> assertFree(free));
        }
        try (HeldLock both = one().acquire(one().request(List.of(free, taken)).withWaitTime(PATIENCE))) {
            assertThat(both.sequencers()).hasSize(2);
            assertRefused(other(), now(other(), free));
            assertRefused(other(), now(other(), taken));
        }
    }
}
