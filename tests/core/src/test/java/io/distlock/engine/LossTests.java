package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockRequest;
import io.distlock.Release;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens when a lock is lost, in which order, and who is told. */
@EndsInTime
class LossTests {

    private static final long VALIDITY = 29_698;

    private final ManualEngine here = new ManualEngine();

    @Test
    void theStateComesFirstThenRenewalThenListenersThenTheSignalThenTheDelete() {
        List<String> order = new ArrayList<>();
        HeldLock held = here.client.acquire(unrenewed());
        here.client.addListener(event -> {
            if (event instanceof LockEvent.Lost) {
                order.add("listener");
                assertThat(held.isHeld()).isFalse();
                assertThat(here.watched()).isZero();
                assertThat(here.isFree("a")).isFalse();
            }
        });
        held.onLost(loss -> {
            order.add("signal");
            order.add(here.isFree("a") ? "deleted before" : "not yet deleted");
        });
        here.advanceMillis(VALIDITY);
        order.add(here.isFree("a") ? "deleted" : "still there");
        assertThat(order).containsExactly("listener", "signal", "not yet deleted", "deleted");
    }

    @Test
    void listenersAndCallbacksThatThrowHarmNobody() {
        HeldLock held = here.client.acquire(unrenewed());
        List<String> told = new ArrayList<>();
        here.client.addListener(event -> {
            throw new AssertionError("listener fails on purpose");
        });
        here.client.addListener(event -> told.add("next listener"));
        held.onLost(loss -> {
            throw new IllegalStateException("callback fails on purpose");
        });
        held.onLost(loss -> told.add("next callback"));
        here.advanceMillis(VALIDITY);
        assertThat(told).containsExactlyInAnyOrder("next listener", "next callback");
        here.assertNothingLeft("a");
    }

    @Test
    void whoeverWaitsHereGetsItsTurnThoughACallbackBlocks() {
        // Foreign code that has not come back yet.
        List<Runnable> blocked = new ArrayList<>();
        ClientContext context = ManualEngine.context(here.provider, here.runtime, blocked::add, () -> {});
        PendingAcquisitions keys = new PendingAcquisitions(context);
        LockRequest request = unrenewed().withWaitTime(Duration.ofMinutes(1));
        keys.start(request);
        var next = keys.start(request);
        assertThat(here.provider.acquires()).isEqualTo(1);
        here.advanceMillis(VALIDITY);
        assertThat(blocked).hasSize(1);
        assertThat(here.provider.acquires()).isEqualTo(2);
        blocked.get(0).run();
        assertThat(next.join()).isPresent();
    }

    @Test
    void theSignalTellsWhoeverAsksAfterTheLossAtOnceAndOnlyOnce() {
        HeldLock held = here.client.acquire(unrenewed());
        here.advanceMillis(VALIDITY);
        List<LockLoss.Reason> told = new ArrayList<>();
        held.onLost(loss -> told.add(loss.reason()));
        held.release();
        here.ticker.advance(Duration.ofMinutes(1));
        assertThat(told).containsExactly(LockLoss.Reason.EXPIRED);
    }

    @Test
    void theSignalIsSilentWhenTheLockIsReleased() {
        HeldLock held = here.hold("a");
        var lost = held.lost();
        held.release();
        here.ticker.advance(Duration.ofHours(2));
        assertThat(lost).isNotCompleted();
        assertThat(held.lost()).isNotCompleted();
    }

    @Test
    void askingAgainAndAgainLeavesNothingBehind() {
        HeldLock one = here.hold("a");
        assertThat((Object) one.lost()).isSameAs(one.lost());
        HeldLock several = here.client.acquire(
                here.client.request(List.of(LockKey.of("b"), LockKey.of("c"))).withWaitTime(Duration.ZERO));
        assertThat((Object) several.lost()).isSameAs(several.lost());
    }

    @Test
    void aLossOthersCannotForge() {
        HeldLock held = here.hold("a");
        held.lost().toCompletableFuture().cancel(true);
        List<String> told = new ArrayList<>();
        held.onLost(loss -> told.add("told"));
        here.client.close();
        assertThat(told).containsExactly("told");
    }

    @Test
    void aLockDelayKeepsTheKeyThatMuchLongerThanItsHolderBelieves() {
        HeldLock held = here.client.acquire(unrenewed().withLockDelay(Duration.ofSeconds(10)));
        here.advanceMillis(VALIDITY);
        assertThat(held.isHeld()).isFalse();
        assertThat(here.provider.releases()).isZero();
        here.advanceMillis(40_000 - VALIDITY - 1);
        assertThat(here.other.tryAcquire(here.now("a"))).isEmpty();
        here.advanceMillis(1);
        assertThat(here.other.tryAcquire(here.now("a"))).isPresent();
        assertThat(here.provider.releases()).isZero();
    }

    @Test
    void aLockDelayDoesNotOutliveACleanRelease() {
        here.client.acquire(here.now("a").withLockDelay(Duration.ofSeconds(10))).release();
        here.assertNothingLeft("a");
    }

    @Test
    void aLossThatTheStoreReportedIsNotDeletedThereItMayBeAnothersByNow() {
        HeldLock held = here.hold("a");
        here.deleteByHand("a");
        here.other.acquire(here.now("a"));
        here.advanceMillis(10_500);
        assertThat(held.isHeld()).isFalse();
        assertThat(here.provider.releases()).isZero();
        assertThat(here.isFree("a")).isFalse();
    }

    @Test
    void aDeleteAfterTheLossThatFailsIsMadeAgain() {
        here.client.acquire(unrenewed().withMinHoldTime(Duration.ofMinutes(5)));
        here.provider.onRelease(Fault.ERROR);
        here.advanceMillis(VALIDITY);
        assertThat(here.runtime.reaper().pending()).isEqualTo(1);
    }

    @Test
    void releasingALostLockSaysSoAndThrowsNothing() {
        HeldLock held = here.client.acquire(unrenewed().withLockDelay(Duration.ofSeconds(10)));
        here.advanceMillis(VALIDITY);
        assertThat(held.release()).isEqualTo(Release.NOT_OWNER);
        assertThat(held.releaseAsync()).isCompletedWithValue(Release.NOT_OWNER);
        assertThat(here.provider.releases()).isZero();
    }

    @Test
    void aReleaseThatComesAfterTheEndButBeforeTheTimerIsALossToo() {
        HeldLock held = here.client.acquire(unrenewed());
        here.ticker.stepWallClock(Duration.ofMillis(VALIDITY));
        assertThat(held.release()).isEqualTo(Release.NOT_OWNER);
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
    }

    @Test
    void closingALostLockComplains() {
        HeldLock held = here.client.acquire(unrenewed());
        here.advanceMillis(VALIDITY);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(held::close)
                .satisfies(lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.EXPIRED));
    }

    @Test
    void theBodysOwnExceptionStaysTheOneThatIsThrown() {
        IllegalStateException own = new IllegalStateException("the body's own");
        assertThatThrownBy(() -> {
                    try (HeldLock held = here.client.acquire(unrenewed())) {
                        here.advanceMillis(VALIDITY);
                        assertThat(held.isHeld()).isFalse();
                        throw own;
                    }
                })
                .isSameAs(own);
        assertThat(own.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
    }

    private LockRequest unrenewed() {
        return here.now("a").withRenew(false);
    }
}
