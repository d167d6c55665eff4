package io.distlock.test.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a test of an application can do with locks. Time stands still. */
class LockTesterTests {

    private static final LockKey KEY = LockKey.of("orders", "42");

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final FaultyLockProvider provider = new FaultyLockProvider(new InMemoryLockProvider(runtime));
    private final LockClient client = LockClientBuilder.of(provider, runtime)
            .callbackExecutor(Runnable::run)
            .build();
    /** For what is not so. It hears of everything before the other does. */
    private final LockTester impatient = new LockTester(client, provider, runtime, Duration.ofMillis(10));

    private final LockTester locks = new LockTester(client, provider, runtime);

    private LockRequest now() {
        return client.request(KEY).withWaitTime(Duration.ZERO);
    }

    @Test
    void holdsALockAsAnotherInstanceWould() {
        locks.holdElsewhere("orders", "42");
        assertThat(client.tryAcquire(now())).isEmpty();
        assertThat(client.inspect(KEY).orElseThrow().holders())
                .extracting(LockStatus.Holder::owner)
                .singleElement()
                .asString()
                .startsWith("another-instance~");
    }

    @Test
    void whatIsHeldElsewhereStaysHeldHoweverLongTheTestTakes() {
        locks.holdElsewhere("nightly");
        ticker.advance(Duration.ofMinutes(5));
        assertThat(client.inspect(LockKey.of("nightly"))).isPresent();
    }

    @Test
    void whoWaitsGoesOnWhenItIsReleasedElsewhere() {
        HeldLock other = locks.holdElsewhere(KEY);
        CompletableFuture<HeldLock> waiting = client.acquireAsync(client.request(KEY));
        locks.assertThatLock(KEY).isWaitedFor().wasNeverAcquired();
        other.release();
        assertThat(waiting).isCompleted();
        locks.assertThatLock(KEY).isHeld();
    }

    /** Nor for as long as a lock of the application may be held. */
    @Test
    void whatIsHeldElsewhereOutlastsTheMaximumHoldTime() {
        HeldLock other = locks.holdElsewhere("nightly");
        ticker.advance(client.options().maxHoldTime().multipliedBy(2));
        assertThat(client.tryAcquire(client.request("nightly").withWaitTime(Duration.ZERO)))
                .isEmpty();
        assertThat(other.release()).isEqualTo(Release.RELEASED);
        locks.assertThatLock("nightly").isFree().wasNeverAcquired();
    }

    @Test
    void whatIsHeldElsewhereIsNeitherFreeNorHeldByTheApplication() {
        locks.holdElsewhere("orders", "42");
        LockAssert lock = locks.assertThatLock("orders", "42");
        assertThatExceptionOfType(AssertionError.class).isThrownBy(lock::isFree);
        assertThatExceptionOfType(AssertionError.class).isThrownBy(lock::isHeld);
        locks.assertThatLock("orders", "43").isFree();
    }

    @Test
    void whatAnotherInstanceDidTheApplicationDidNot() {
        locks.holdElsewhere(KEY).release();
        assertThat(locks.acquired()).isEmpty();
        assertThat(whatIsTrueOf(KEY)).containsExactly("free", "never acquired");
    }

    @Test
    void aLockThatIsKeptForItsMinimumHoldTimeIsNotFree() {
        client.acquire(now().withMinHoldTime(Duration.ofSeconds(1))).release();
        LockAssert lock = locks.assertThatLock(KEY).wasReleased();
        assertThatExceptionOfType(AssertionError.class).isThrownBy(lock::isFree);
        ticker.advance(Duration.ofSeconds(1));
        lock.isFree();
    }

    @Test
    void faultsDoNotConcernTheOtherInstances() {
        locks.failStore();
        locks.refuse(KEY);
        assertThat(locks.holdElsewhere(KEY).isHeld()).isTrue();
    }

    @Test
    void whatTheApplicationHoldsIsNotHeldElsewhere() {
        client.acquire(now());
        assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> locks.holdElsewhere(KEY));
    }

    @Test
    void aRefusedCallDoesNotWait() {
        locks.refuse("orders", "42");
        assertThat(client.tryAcquireAsync(client.request(KEY))).isCompletedWithValueMatching(held -> held.isEmpty());
        locks.assertThatLock(KEY).wasRefused().wasNeverAcquired().isFree();
        assertThat(client.tryAcquire(client.request("orders", "43"))).isPresent();
    }

    @Test
    void aLockWithoutAKeyIsRefusedAndItsItemsAreNot() {
        locks.refuse("orders");
        assertThat(client.tryAcquire(client.request("orders"))).isEmpty();
        assertThat(client.tryAcquire(now())).isPresent();
    }

    @Test
    void aStoreThatFailsIsNotARefusal() {
        HeldLock held = client.acquire(client.request("stock", "7"));
        locks.failStore();
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.tryAcquire(now()));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(impatient.assertThatLock(KEY).wasNeverAcquired()::wasRefused);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.isCurrent(held.sequencers().get(0)));
    }

    @Test
    void aRefusedLockIsRefusedWhileTheStoreFails() {
        locks.refuse(KEY);
        locks.failStore();
        assertThat(client.tryAcquire(now())).isEmpty();
    }

    @Test
    void aLockIsLostAtOnceAndItsHolderTold() {
        HeldLock held = client.acquire(now());
        CompletableFuture<LockLoss> told = new CompletableFuture<>();
        held.onLost(told::complete);
        locks.lose("orders", "42");
        assertThat(held.isHeld()).isFalse();
        // Its thread may not have run yet.
        assertThat(told)
                .succeedsWithin(Duration.ofSeconds(30))
                .extracting(LockLoss::reason)
                .isEqualTo(LockLoss.Reason.NOT_OWNER);
        locks.assertThatLock(KEY).wasLost().isFree();
    }

    /** Twice: the loss of an earlier grant is not that of the present one. */
    @Test
    void whenALockHasBeenLostTheApplicationKnowsOfIt() {
        AtomicReference<CompletableFuture<Boolean>> known = new AtomicReference<>();
        // Listeners are told one after the other, so the tester's own learns of the loss only after this one.
        LockListener first = event -> {
            if (event instanceof LockEvent.Lost) {
                known.get().completeOnTimeout(false, 200, TimeUnit.MILLISECONDS).join();
            }
        };
        LockClient listening = LockClientBuilder.of(provider, runtime)
                .callbackExecutor(Runnable::run)
                .listener(first)
                .build();
        try (LockTester tester = new LockTester(listening, provider, runtime)) {
            for (int times = 1; times <= 2; times++) {
                known.set(new CompletableFuture<>());
                listening.acquire(now());
                tester.lose(KEY);
                assertThat(known.get().complete(true)).isFalse();
            }
        }
    }

    @Test
    void onlyTheItemThatIsNamedIsLost() {
        HeldLock first = client.acquire(client.request("orders", "41"));
        HeldLock second = client.acquire(now());
        locks.lose(KEY);
        assertThat(first.isHeld()).isTrue();
        assertThat(second.isHeld()).isFalse();
    }

    @Test
    void whatIsNotHeldCannotBeLost() {
        assertThatIllegalStateException()
                .isThrownBy(() -> locks.lose("nightly"))
                .withMessage("the lock 'nightly' cannot be lost: it is not held here");
    }

    @Test
    void tellsWhatWasLockedInItsOrder() {
        client.acquire(client.request("stock", "7"));
        client.acquire(now()).release();
        client.acquire(now()).release();
        assertThat(locks.acquired()).containsExactly(LockKey.of("stock", "7"), KEY, KEY);
        locks.assertThatLock(KEY)
                .wasAcquired()
                .wasAcquiredTimes(2)
                .wasReleased()
                .isFree();
    }

    @Test
    void aResetLeavesNothing() {
        locks.holdElsewhere("nightly");
        locks.holdElsewhere("weekly");
        locks.refuse(KEY);
        client.tryAcquire(now());
        locks.reset();
        assertThat(client.tryAcquire(now())).isPresent();
        assertThat(client.inspect(LockKey.of("nightly"))).isEmpty();
        assertThat(client.inspect(LockKey.of("weekly"))).isEmpty();
        assertThat(locks.acquired()).containsExactly(KEY);
    }

    @Test
    void aResetForgetsWhatHappened() {
        client.acquire(now()).release();
        locks.holdElsewhere(KEY);
        client.tryAcquire(now());
        locks.assertThatLock(KEY).wasAcquired().wasReleased().wasRefused();
        locks.reset();
        assertThat(locks.acquired()).isEmpty();
        impatient.reset();
        LockAssert lock = impatient.assertThatLock(KEY).wasNeverAcquired();
        assertThatExceptionOfType(AssertionError.class).isThrownBy(lock::wasReleased);
        assertThatExceptionOfType(AssertionError.class).isThrownBy(lock::wasRefused);
    }

    /** Or the next test would find it. */
    @Test
    void whatAResetLetsInIsForgottenToo() {
        locks.holdElsewhere(KEY);
        CompletableFuture<HeldLock> waiting = client.acquireAsync(client.request(KEY));
        locks.reset();
        assertThat(waiting).isCompleted();
        assertThat(locks.acquired()).isEmpty();
    }

    @Test
    void aResetRepairsTheStore() {
        locks.failStore();
        locks.reset();
        assertThat(client.isCurrent(client.acquire(now()).sequencers().get(0))).isTrue();
    }

    @Test
    void whatTheApplicationHoldsOutlastsAReset() {
        client.acquire(now());
        locks.reset();
        locks.assertThatLock(KEY).isHeld();
    }

    @Test
    void aTesterThatIsClosedHoldsNothingAndHearsNothing() {
        locks.holdElsewhere(KEY);
        locks.failStore();
        locks.close();
        client.acquire(now());
        assertThat(locks.acquired()).isEmpty();
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.holdElsewhere("nightly"));
    }

    static List<Consumer<LockAssert>> whatIsNotTrueOfALockThatNobodyAskedFor() {
        return List.of(
                LockAssert::wasAcquired,
                lock -> lock.wasAcquiredTimes(1),
                LockAssert::wasRefused,
                LockAssert::wasReleased,
                LockAssert::wasLost,
                LockAssert::isHeld,
                LockAssert::isWaitedFor);
    }

    @Test
    void moreThanTheTimesThatWereExpectedAreNotThoseTimes() {
        client.acquire(now()).release();
        client.acquire(now()).release();
        LockAssert lock = locks.assertThatLock(KEY).wasAcquiredTimes(2);
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> lock.wasAcquiredTimes(1));
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> lock.wasAcquiredTimes(3));
    }

    @ParameterizedTest
    @MethodSource("whatIsNotTrueOfALockThatNobodyAskedFor")
    void anAssertionThatIsNotTrueFails(Consumer<LockAssert> untrue) {
        LockRequest neighbour = client.request("orders", "43");
        client.acquire(neighbour).release();
        client.acquire(neighbour);
        locks.lose("orders", "43");
        client.acquire(neighbour);
        client.tryAcquire(neighbour.withWaitTime(Duration.ZERO));
        client.acquireAsync(neighbour);
        locks.assertThatLock("orders", "43")
                .wasAcquired()
                .wasReleased()
                .wasLost()
                .wasRefused()
                .isHeld()
                .isWaitedFor();
        client.acquire(client.request("stock", "7"));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> untrue.accept(impatient.assertThatLock(KEY)))
                .withMessageContaining("Expecting lock 'orders:42' to ")
                .withMessageContaining("stock:7");
    }

    @Test
    void aLockThatIsHeldIsNeitherFreeNorNeverAcquired() {
        client.acquire(now());
        LockAssert lock = locks.assertThatLock(KEY);
        assertThatExceptionOfType(AssertionError.class).isThrownBy(lock::isFree);
        assertThatExceptionOfType(AssertionError.class).isThrownBy(lock::wasNeverAcquired);
    }

    private Set<String> whatIsTrueOf(LockKey key) {
        Map<String, Consumer<LockAssert>> all = Map.of(
                "acquired", LockAssert::wasAcquired,
                "free", LockAssert::isFree,
                "held", LockAssert::isHeld,
                "lost", LockAssert::wasLost,
                "never acquired", LockAssert::wasNeverAcquired,
                "refused", LockAssert::wasRefused,
                "released", LockAssert::wasReleased,
                "waited for", LockAssert::isWaitedFor);
        Set<String> kept = new TreeSet<>();
        all.forEach((what, assertion) -> {
            try {
                assertion.accept(impatient.assertThatLock(key));
                kept.add(what);
            } catch (AssertionError untrue) {
                // What is left out.
            }
        });
        return kept;
    }

    @Test
    void eachAssertionIsTrueOfWhatItNamesAndOfNothingElse() {
        client.acquire(client.request("held"));
        client.acquire(client.request("released")).release();
        client.acquire(client.request("lost"));
        locks.lose("lost");
        locks.holdElsewhere("refused");
        client.tryAcquire(client.request("refused").withWaitTime(Duration.ZERO));
        locks.holdElsewhere("waited for");
        client.acquireAsync(client.request("waited for"));
        locks.failStore();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.tryAcquire(client.request("failed")));
        assertThat(whatIsTrueOf(LockKey.of("held"))).containsExactly("acquired", "held");
        assertThat(whatIsTrueOf(LockKey.of("released"))).containsExactly("acquired", "free", "released");
        assertThat(whatIsTrueOf(LockKey.of("lost"))).containsExactly("acquired", "free", "lost");
        assertThat(whatIsTrueOf(LockKey.of("refused"))).containsExactly("never acquired", "refused");
        assertThat(whatIsTrueOf(LockKey.of("waited for"))).containsExactly("never acquired", "waited for");
        assertThat(whatIsTrueOf(LockKey.of("failed"))).containsExactly("free", "never acquired");
    }
}
