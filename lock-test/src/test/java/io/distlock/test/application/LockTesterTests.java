package io.distlock.test.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
        locks.assertThatLock(KEY).isWaitedFor();
        other.release();
        assertThat(waiting).isCompleted();
        locks.assertThatLock(KEY).isHeld();
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
    void aStoreThatFailsIsNotARefusal() {
        locks.failStore();
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.tryAcquire(now()));
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
        locks.refuse(KEY);
        client.tryAcquire(now());
        locks.reset();
        assertThat(client.tryAcquire(now())).isPresent();
        assertThat(client.tryAcquire(client.request("nightly"))).isPresent();
        assertThat(locks.acquired()).hasSize(2);
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

    @ParameterizedTest
    @MethodSource("whatIsNotTrueOfALockThatNobodyAskedFor")
    void anAssertionThatIsNotTrueFails(Consumer<LockAssert> untrue) {
        client.acquire(client.request("stock", "7"));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> untrue.accept(locks.assertThatLock(KEY)))
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
}
