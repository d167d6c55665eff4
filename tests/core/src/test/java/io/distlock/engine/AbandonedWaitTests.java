package io.distlock.engine;

import static io.distlock.engine.ManualEngine.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Callers that are interrupted, cancel, or set a time limit of their own: nothing of their call is left. */
@EndsInTime
class AbandonedWaitTests {

    private final ManualEngine here = new ManualEngine();

    @Test
    void anInterruptWhileWaitingForAnotherProcessLeavesNothing() {
        HeldLock others = here.other.acquire(here.now("a"));
        interruptOnce(here.request("a"), 1);
        assertThat(here.waitersAtStore("a")).isZero();
        others.release();
        here.assertNothingLeft("a");
    }

    @Test
    void anInterruptInTheQueueLeavesNothing() {
        HeldLock holder = here.hold("a");
        interruptOnce(here.request("a"), 1);
        holder.release();
        assertThat(here.provider.acquires()).isEqualTo(1);
        here.assertNothingLeft("a");
    }

    @Test
    void anInterruptWhileOneOfSeveralKeysIsWaitedForGivesTheOthersBack() {
        HeldLock others = here.other.acquire(here.now("b"));
        interruptOnce(here.client.request(List.of(LockKey.of("a"), LockKey.of("b"))), 1);
        assertThat(here.waitersAtStore("b")).isZero();
        others.release();
        here.assertNothingLeft("a");
    }

    @Test
    void anInterruptWhileTheGrantIsUnderWayGivesItBack() {
        here.provider.onAcquire(Fault.LATE);
        interruptOnce(here.request("a"), 1);
        here.provider.deliver();
        here.assertNothingLeft("a");
    }

    /** The wait is over, and nobody has been told yet: what is left to do is to give back. */
    @Test
    void aGrantThatArrivesInTheInstantOfTheInterruptIsGivenBack() {
        PendingAcquisitions keys = new PendingAcquisitions(here.context);
        Duration minimum = Duration.ofMinutes(1);
        keys.start(here.request("a").withMinHoldTime(minimum)).abandon();
        here.assertNothingLeft("a");
        LockRequest two =
                here.client.request(List.of(LockKey.of("a"), LockKey.of("b"))).withMinHoldTime(minimum);
        var both = keys.start(two);
        assertThat(here.isFree("b")).isFalse();
        both.abandon();
        here.assertNothingLeft("a");
        here.assertNothingLeft("b");
    }

    /** Blocks a thread in the request, interrupts it, and sees how its call ends. */
    private void interruptOnce(LockRequest request, int pending) {
        AtomicReference<Throwable> end = new AtomicReference<>();
        AtomicBoolean flag = new AtomicBoolean();
        Thread caller = new Thread(() -> {
            try {
                here.client.acquire(request);
            } catch (LockInterruptedException expected) {
                end.set(expected);
                flag.set(Thread.currentThread().isInterrupted());
            }
        });
        caller.start();
        await().until(() -> here.client.waiting().count() == pending && caller.getState() == Thread.State.WAITING);
        caller.interrupt();
        await().until(() -> !caller.isAlive());
        assertThat(end.get())
                .isInstanceOf(LockInterruptedException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(flag).isTrue();
    }

    @Test
    void aCallerThatCameInterruptedAsksNobodyAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> here.client.acquire(here.now("a")));
        assertThatExceptionOfType(LockInterruptedException.class)
                .isThrownBy(() -> here.client.tryAcquire(here.now("a")));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(here.provider.acquires()).isZero();
        here.assertNothingLeft("a");
    }

    @Test
    void anInterruptedThreadCanStillRelease() {
        HeldLock held = here.hold("a");
        here.provider.onRelease(Fault.LATE);
        AtomicBoolean flag = new AtomicBoolean();
        Thread releaser = new Thread(() -> {
            Thread.currentThread().interrupt();
            held.close();
            flag.set(Thread.currentThread().isInterrupted());
        });
        releaser.start();
        await().until(() -> here.provider.releases() == 1);
        await().until(() -> {
            here.provider.deliver();
            return !releaser.isAlive();
        });
        assertThat(flag).isTrue();
        here.assertNothingLeft("a");
    }

    @Test
    void cancellingWhileWaitingForAnotherProcessLeavesNothing() {
        HeldLock others = here.other.acquire(here.now("a"));
        CompletableFuture<HeldLock> asked = here.client.acquireAsync(here.request("a"));
        asked.cancel(true);
        assertThat(here.waitersAtStore("a")).isZero();
        others.release();
        here.assertNothingLeft("a");
        assertThat(here.eventNames()).containsExactly("Failed");
    }

    @Test
    void cancellingAfterTheGrantAndBeforeItIsHandedOverGivesItBack() {
        // The grant is on its way through the callers' threads.
        List<Runnable> underWay = new ArrayList<>();
        DefaultLockClient client = clientWithCallbacks(underWay);
        CompletableFuture<HeldLock> asked =
                client.acquireAsync(here.request("a").withMinHoldTime(Duration.ofMinutes(1)));
        assertThat(underWay).hasSize(1);
        asked.cancel(true);
        underWay.remove(0).run();
        assertThat(here.isFree("a")).isTrue();
    }

    @Test
    void aTimeLimitOfTheCallersOwnLeavesNothing() {
        HeldLock others = here.other.acquire(here.now("a"));
        CompletableFuture<HeldLock> asked =
                here.client.acquireAsync(here.request("a")).orTimeout(1, TimeUnit.MILLISECONDS);
        await().until(asked::isCompletedExceptionally);
        // On another thread, which may stand still between the two.
        await().untilAsserted(() -> assertThat(here.client.waiting()).isEmpty());
        await().untilAsserted(() -> assertThat(here.waitersAtStore("a")).isZero());
        others.release();
        here.assertNothingLeft("a");
    }

    @Test
    void cancellingALockThatIsHeldByNowReleasesNothing() {
        CompletableFuture<HeldLock> asked = here.client.acquireAsync(here.request("a"));
        asked.cancel(true);
        assertThat(asked.join().isHeld()).isTrue();
    }

    @Test
    void nobodyWhoLooksAtTheReleaseCanEndItForOthers() {
        HeldLock held = here.hold("a");
        here.provider.onRelease(Fault.LATE);
        CompletionStage<?> first = held.releaseAsync();
        first.toCompletableFuture().cancel(true);
        CompletionStage<?> second = held.releaseAsync();
        assertThat(second).isNotCompleted();
        here.provider.deliver();
        assertThat(second).isCompleted();
    }

    private DefaultLockClient clientWithCallbacks(List<Runnable> underWay) {
        return ManualEngine.client(ManualEngine.context(here.provider, here.runtime, underWay::add, () -> {}));
    }
}
