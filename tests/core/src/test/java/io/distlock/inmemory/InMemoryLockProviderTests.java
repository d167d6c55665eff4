package io.distlock.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Sequencer;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InMemoryLockProviderTests {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final ManualTicker ticker = new ManualTicker();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final LockRuntime runtime = new LockRuntime(ticker, scheduler);
    private final InMemoryLockProvider provider = new InMemoryLockProvider(runtime);

    @Test
    void aGrantThatWasGivenBackIsNotCurrentWhileItsKeyStaysTaken() {
        LockClient client = LockClientBuilder.of(provider, runtime).build();
        HeldLock held = client.acquire(client.request("job").withMinHoldTime(Duration.ofMinutes(1)));
        Sequencer sequencer = held.sequencers().get(0);
        assertThat(client.isCurrent(sequencer)).isTrue();
        held.release();
        assertThat(client.isCurrent(sequencer)).isFalse();
    }

    /** Nobody may ever ask for those keys again, as for an order that is done. */
    @Test
    void holdersThatVanishedDoNotPileUp() {
        FaultyLockProvider mute = new FaultyLockProvider(provider);
        mute.onRenew(Fault.SILENCE);
        mute.onRelease(Fault.SILENCE);
        LockClient client = LockClientBuilder.of(mute, runtime).build();
        for (int order = 0; order < 1_000; order++) {
            client.acquire(client.request("orders", "" + order));
            ticker.advance(Duration.ofSeconds(1));
        }
        // Each stands for half a minute.
        assertThat((Integer) details().get("keys")).isBetween(30, 100);
    }

    @Test
    void aKeyThatNobodyWaitsForAnyMoreHasNoTimer() {
        for (int order = 0; order < 100; order++) {
            Grant held = acquire("orders:" + order, "holder").join().orElseThrow();
            CompletableFuture<Optional<Grant>> next = acquire("orders:" + order, "next");
            CompletableFuture<Optional<Grant>> cancelled = acquire("orders:" + order, "cancelled");
            cancelled.cancel(true);
            provider.release(held.lease(), Duration.ZERO);
            provider.release(next.join().orElseThrow().lease(), Duration.ZERO);
        }
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void aWaiterThatGivesUpTakesTheTimerOfItsKeyAlong() {
        acquire("a", "holder");
        acquire("a", "waiter").cancel(true);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void closingLeavesNoTimer() {
        acquire("a", "holder");
        acquire("a", "waiter");
        provider.close();
        assertThat(scheduler.pending()).isZero();
    }

    /** Each that takes the key wakes the next one. */
    @Test
    void allReadersThatWaitGetTheKeyHoweverManyTheyAre() {
        Lease held = acquire("a", "holder").join().orElseThrow().lease();
        List<CompletableFuture<Optional<Grant>>> readers = IntStream.range(0, 3_000)
                .mapToObj(reader -> acquire("a", LockMode.SHARED, "reader " + reader, LEASE))
                .toList();
        provider.release(held, Duration.ZERO);
        assertThat(readers.stream().filter(CompletableFuture::isDone).count()).isEqualTo(3_000);
        readers.forEach(reader -> provider.release(reader.join().orElseThrow().lease(), Duration.ZERO));
        assertThat(details()).containsEntry("keys", 0);
    }

    /** Its own expiry, which they have slept on until now, was later. */
    @Test
    void aWaiterGetsAKeyThatIsKeptAsSoonAsItsMinimumHoldTimeIsOver() {
        Lease held = acquire("a", "holder").join().orElseThrow().lease();
        var waiter = acquire("a", "waiter");
        provider.release(held, Duration.ofSeconds(1));
        ticker.advance(Duration.ofMillis(999));
        assertThat(waiter).isNotDone();
        ticker.advance(Duration.ofMillis(1));
        assertThat(waiter).isCompleted();
    }

    @Test
    void theThirdGetsTheKeyAsSoonAsTheShorterLeaseOfTheSecondEnds() {
        Lease held = acquire("a", "holder").join().orElseThrow().lease();
        var second = acquire("a", LockMode.EXCLUSIVE, "second", Duration.ofSeconds(1));
        var third = acquire("a", LockMode.EXCLUSIVE, "third", Duration.ofSeconds(1));
        provider.release(held, Duration.ZERO);
        assertThat(second).isCompleted();
        ticker.advance(Duration.ofSeconds(1));
        assertThat(third).isCompleted();
    }

    @Test
    void aWaiterThatThrowsWhenItIsWokenDoesNotStopTheOnesBehindIt() {
        Lease held = acquire("a", "holder").join().orElseThrow().lease();
        AtomicBoolean fails = new AtomicBoolean();
        Ticker failing = new Ticker() {
            @Override
            public long nanos() {
                assertThat(fails).isFalse();
                return ticker.nanos();
            }

            @Override
            public long wallMillis() {
                return ticker.wallMillis();
            }
        };
        provider.acquire(request("a", LockMode.EXCLUSIVE, "failing", LEASE, failing));
        var next = acquire("a", "next");
        fails.set(true);
        provider.release(held, Duration.ZERO);
        assertThat(next).isCompleted();
    }

    @Test
    void anExtensionNeverKeepsAKeyThatWasReleasedInTheSameInstant() {
        AtomicReference<List<Lease>> held = new AtomicReference<>(List.of());
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> renewing = CompletableFuture.runAsync(
                () -> {
                    while (!over.get()) {
                        provider.renew(held.get(), (lease, renewal) -> {});
                    }
                },
                task -> new Thread(task).start());
        for (int order = 0; order < 20_000; order++) {
            Lease lease =
                    acquire("orders:" + order, "holder").join().orElseThrow().lease();
            held.set(List.of(lease));
            IntStream.range(0, order % 64).forEach(spin -> Thread.onSpinWait());
            provider.release(lease, Duration.ZERO);
        }
        over.set(true);
        renewing.join();
        assertThat(details()).containsEntry("keys", 0);
    }

    private CompletableFuture<Optional<Grant>> acquire(String name, String owner) {
        return acquire(name, LockMode.EXCLUSIVE, owner, LEASE);
    }

    private CompletableFuture<Optional<Grant>> acquire(String name, LockMode mode, String owner, Duration lease) {
        return provider.acquire(request(name, mode, owner, lease, ticker));
    }

    private LeaseRequest request(String name, LockMode mode, String owner, Duration lease, Ticker itsTicker) {
        return new LeaseRequest(
                LockKey.of(name),
                mode,
                owner,
                LockOptions.defaults().withLeaseTime(lease),
                Deadline.in(Duration.ofSeconds(5), itsTicker));
    }

    private Map<String, Object> details() {
        return provider.check().toCompletableFuture().join().details();
    }
}
