package io.distlock.engine;

import static io.distlock.engine.ManualEngine.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Closing a client while its locks are held and waited for. */
@EndsInTime
class CloseTests {

    private final ManualEngine here = new ManualEngine();

    @Test
    void whatIsHeldIsLostAndItsHolderTold() {
        HeldLock held = here.hold("a");
        here.client.close();
        assertThat(held.isHeld()).isFalse();
        assertThat(held.lost()).isCompletedWithValueMatching(loss -> loss.reason() == LockLoss.Reason.CLIENT_CLOSED);
        assertThat(held.release()).isEqualTo(Release.NOT_OWNER);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
    }

    @Test
    void whatIsHeldIsNotDeletedForItsHolderMayStillBeAtWork() {
        here.hold("a");
        here.client.close();
        assertThat(here.provider.releases()).isZero();
        here.advanceMillis(29_999);
        assertThat(here.other.tryAcquire(here.now("a"))).isEmpty();
        here.advanceMillis(1);
        assertThat(here.other.tryAcquire(here.now("a"))).isPresent();
    }

    @Test
    void whoeverWaitsIsToldAndLeavesNothing() {
        HeldLock others = here.other.acquire(here.now("a"));
        List<CompletableFuture<HeldLock>> waiters = new ArrayList<>();
        for (int call = 0; call < 10; call++) {
            waiters.add(here.client.acquireAsync(here.request("a")));
        }
        waiters.add(here.client.acquireAsync(here.client.request(List.of(LockKey.of("0"), LockKey.of("a")))));
        here.client.close();
        assertThat(waiters).allSatisfy(CloseTests::assertClosed);
        assertThat(here.waitersAtStore("a")).isZero();
        others.release();
        here.assertNothingLeft("a");
        here.assertNothingLeft("0");
    }

    @Test
    void whoeverIsBlockedIsToldToo() {
        here.other.acquire(here.now("a"));
        CompletableFuture<HeldLock> blocked = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                blocked.complete(here.client.acquire(here.request("a")));
            } catch (LockUnavailableException expected) {
                blocked.completeExceptionally(expected);
            }
        });
        caller.start();
        await().until(() -> here.client.waiting().count() == 1);
        here.client.close();
        await().until(blocked::isDone);
        assertClosed(blocked);
    }

    @Test
    void nobodyIsSentToTheStoreOnceTheClientCloses() {
        here.other.acquire(here.now("a"));
        for (int call = 0; call < 100; call++) {
            here.client.acquireAsync(here.request("a"));
        }
        here.client.close();
        assertThat(here.provider.acquires()).isEqualTo(1);
    }

    @Test
    void aGrantThatArrivesAfterwardsIsGivenBack() {
        here.provider.onAcquire(Fault.LATE);
        CompletableFuture<HeldLock> asked = here.client.acquireAsync(here.request("a"));
        here.client.close();
        assertClosed(asked);
        here.provider.deliver();
        here.assertNothingLeft("a");
    }

    @Test
    void nothingIsRenewedAfterwardsEvenIfARenewalWasUnderWay() {
        HeldLock held = here.hold("a");
        here.provider.onRenew(Fault.LATE);
        here.advanceUntil(() -> here.provider.renewals() == 1, Duration.ofSeconds(30));
        here.client.close();
        here.provider.deliver();
        here.ticker.advance(Duration.ofMinutes(10));
        assertThat(here.provider.renewals()).isEqualTo(1);
        assertThat(held.isHeld()).isFalse();
        assertThat(here.events(LockEvent.Renewed.class)).isEmpty();
        assertThat(here.scheduler.pending()).isZero();
    }

    @Test
    void furtherUseIsAClearErrorAndAsksNobody() {
        here.client.close();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> here.client.acquire(here.now("a")))
                .withMessageContaining("closed");
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(
                        () -> here.client.tryAcquire(here.client.request(List.of(LockKey.of("a"), LockKey.of("b")))))
                .withMessageContaining("closed");
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> here.client.asLock(here.now("a")).tryLock())
                .withMessageContaining("closed");
        assertClosed(here.client.acquireAsync(here.request("a")));
        assertThat(here.provider.acquires()).isZero();
        here.assertNothingLeft("a");
    }

    @Test
    void closingAgainDoesNothing() {
        here.hold("a");
        here.client.close();
        here.client.close();
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
    }

    @Test
    void holdersGetTheirTimeToReleaseAndNoMoreThanTheyNeed() {
        AtomicInteger closed = new AtomicInteger();
        DefaultLockClient client = patientClient(Duration.ofDays(1), closed::incrementAndGet);
        HeldLock held = client.acquire(here.now("a"));
        Thread closing = new Thread(client::close);
        closing.start();
        // It waits, for a day if need be.
        await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        await().until(() -> !closing.isAlive());
        assertThat(closed).hasValue(1);
    }

    @Test
    void anInterruptEndsTheTimeForHolders() {
        DefaultLockClient client = patientClient(Duration.ofDays(1), () -> {});
        HeldLock held = client.acquire(here.now("a"));
        Thread.currentThread().interrupt();
        client.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(held.isHeld()).isFalse();
    }

    private DefaultLockClient patientClient(Duration shutdownTimeout, Runnable onClosed) {
        ClientContext context = ManualEngine.context(here.provider, here.runtime, Runnable::run, onClosed);
        return new DefaultLockClient(context, here.client.options(), shutdownTimeout);
    }

    private static void assertClosed(CompletableFuture<HeldLock> asked) {
        assertThat(asked).isDone();
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(asked::join)
                .havingCause()
                .isInstanceOf(LockUnavailableException.class)
                .withMessageContaining("closed");
    }
}
