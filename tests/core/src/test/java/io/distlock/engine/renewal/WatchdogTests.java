package io.distlock.engine.renewal;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockLoss;
import io.distlock.LockRequest;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.support.SimulatedRuntime;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When leases are renewed, and when they are no longer. */
@EndsInTime
class WatchdogTests {

    private final ManualEngine here = new ManualEngine();

    @Test
    void aLeaseIsRenewedAThirdIntoItGiveOrTakeFivePercentAndNotAllInStep() {
        Set<Long> times = new HashSet<>();
        for (int sample = 0; sample < 30; sample++) {
            ManualEngine fresh = new ManualEngine();
            fresh.hold("a");
            times.add(fresh.advanceUntil(() -> fresh.provider.renewals() == 1, Duration.ofSeconds(30)));
        }
        // Up to the whole millisecond.
        assertThat(times).allSatisfy(time -> assertThat(time).isBetween(9_500L, 10_500L));
        assertThat(times).hasSizeGreaterThan(5);
    }

    @Test
    void theNextRenewalIsCountedFromTheLast() {
        here.hold("a");
        for (int round = 1; round <= 10; round++) {
            int rounds = round;
            long time = here.advanceUntil(() -> here.provider.renewals() == rounds, Duration.ofSeconds(30));
            assertThat(time).isBetween(9_499L, 10_501L);
        }
    }

    @Test
    void andNotFromWhenItWasAnswered() {
        here.hold("a");
        here.provider.onRenew(Fault.LATE);
        here.advanceUntil(() -> here.provider.renewals() == 1, Duration.ofSeconds(30));
        here.advanceMillis(1_500);
        here.provider.heal();
        here.provider.deliver();
        long time = here.advanceUntil(() -> here.provider.renewals() == 2, Duration.ofSeconds(30));
        assertThat(time).isBetween(7_999L, 9_001L);
    }

    @Test
    void aLockThatIsRenewedStaysHeldHereAndAtTheStore() {
        HeldLock held = here.hold("a");
        here.ticker.advance(Duration.ofMinutes(59));
        assertThat(held.isHeld()).isTrue();
        assertThat(here.other.tryAcquire(here.now("a"))).isEmpty();
        assertThat(here.events(LockEvent.Renewed.class)).allMatch(LockEvent.Renewed::confirmed);
    }

    @ParameterizedTest
    @CsvSource({
        // Lease, limit of a try (a sixth, at most 2 s), pause before the next (a twentieth).
        "6000, 1000, 300",
        "12000, 2000, 600",
        "30000, 2000, 1500",
        "60000, 2000, 3000"
    })
    void aTryThatIsNotAnsweredIsGivenUpAndMadeAgainSoon(long lease, long limit, long pause) {
        here.client.acquire(here.now("a").withLeaseTime(Duration.ofMillis(lease)));
        here.provider.onRenew(Fault.SILENCE);
        here.advanceUntil(() -> here.provider.renewals() == 1, Duration.ofSeconds(30));
        long givenUp =
                here.advanceUntil(() -> here.events(LockEvent.Renewed.class).size() == 1, Duration.ofSeconds(30));
        long madeAgain = here.advanceUntil(() -> here.provider.renewals() == 2, Duration.ofSeconds(30));
        assertThat(here.events(LockEvent.Renewed.class).get(0).confirmed()).isFalse();
        assertThat(givenUp).isEqualTo(limit);
        assertThat(madeAgain).isEqualTo(pause);
    }

    @Test
    void leasesThatAreDueTogetherGoOutInOneBatch() {
        for (int lock = 0; lock < 100; lock++) {
            here.hold("lock-" + lock);
        }
        here.advanceMillis(10_500);
        assertThat(here.provider.renewalBatches().stream().mapToInt(Integer::intValue))
                .hasSizeLessThanOrEqualTo(2);
        assertThat(here.provider.renewalBatches().stream()
                        .mapToInt(Integer::intValue)
                        .sum())
                .isEqualTo(100);
        assertThat(here.client.tryAcquire(here.now("lock-99"))).isEmpty();
    }

    @Test
    void aLockThatIsHeldForAShortTimeCostsNoTimer() {
        here.hold("warm-up").close();
        for (int lock = 0; lock < 2_000; lock++) {
            here.hold("lock-" + lock).close();
        }
        // A timer is moved only for a lock that is due before all others so far: about ln(2,000) times.
        assertThat(here.scheduler.scheduledEver()).isLessThan(40);
        assertThat(here.scheduler.pending()).isLessThan(5);
    }

    @Test
    void timersEndWhenNothingIsHeldAnyMore() {
        here.hold("a").close();
        here.ticker.advance(Duration.ofMinutes(1));
        assertThat(here.scheduler.pending()).isZero();
        assertThat(here.provider.renewals()).isZero();
    }

    @Test
    void aLockThatReachesItsMaximumHoldTimeIsLostThenAndGivenBack() {
        HeldLock held = here.client.acquire(here.now("a").withMaxHoldTime(Duration.ofSeconds(60)));
        here.advanceMillis(59_999);
        assertThat(held.isHeld()).isTrue();
        here.advanceMillis(1);
        assertThat(here.watched()).isZero();
        assertThat(here.events(LockEvent.Lost.class))
                .singleElement()
                .extracting(LockEvent.Lost::loss)
                .returns(LockLoss.Reason.MAX_HOLD_TIME, LockLoss::reason)
                .returns(Duration.ofSeconds(60), LockLoss::heldFor);
        here.assertNothingLeft("a");
    }

    @Test
    void aLockThatIsNotToBeRenewedIsLostWhenItsValidityIsOver() {
        LockRequest once = here.now("a").withRenew(false).withMaxHoldTime(Duration.ofSeconds(1));
        HeldLock held = here.client.acquire(once);
        here.advanceMillis(29_697);
        assertThat(held.isHeld()).isTrue();
        here.advanceMillis(1);
        assertThat(here.provider.renewals()).isZero();
        assertThat(here.events(LockEvent.Lost.class))
                .singleElement()
                .extracting(lost -> lost.loss().reason())
                .isEqualTo(LockLoss.Reason.EXPIRED);
        here.assertNothingLeft("a");
    }

    @Test
    void nothingIsRenewedAfterTheRelease() {
        HeldLock held = here.hold("a");
        here.advanceMillis(15_000);
        held.close();
        assertNothingIsRenewedFromNowOn();
    }

    @Test
    void nothingIsRenewedWhileTheReleaseIsUnderWay() {
        HeldLock held = here.hold("a");
        here.provider.onRelease(Fault.LATE);
        held.releaseAsync();
        assertNothingIsRenewedFromNowOn();
    }

    @Test
    void nothingIsRenewedAfterTheLoss() {
        here.hold("a");
        here.deleteByHand("a");
        here.advanceMillis(10_500);
        assertThat(here.events(LockEvent.Lost.class)).hasSize(1);
        assertNothingIsRenewedFromNowOn();
    }

    @Test
    void nothingIsRenewedAfterTheClientIsClosed() {
        here.hold("a");
        here.advanceMillis(15_000);
        here.client.close();
        assertNothingIsRenewedFromNowOn();
    }

    private void assertNothingIsRenewedFromNowOn() {
        int renewals = here.provider.renewals();
        here.ticker.advance(Duration.ofMinutes(10));
        assertThat(here.provider.renewals()).isEqualTo(renewals);
    }

    /** The monotonic clock, and the timers with it, stood still. */
    @Test
    void afterASuspensionLocksWhoseTimeIsOverAreLostThoughNobodyAsksThem() {
        SimulatedRuntime.watchClocks(here.runtime);
        here.client.acquire(here.now("a").withRenew(false));
        here.client.acquire(here.now("b").withLeaseTime(Duration.ofMinutes(10)).withRenew(false));
        here.ticker.stepWallClock(Duration.ofMinutes(1));
        here.advanceMillis(1_000);
        assertThat(here.events(LockEvent.Lost.class)).singleElement().satisfies(lost -> {
            assertThat(lost.loss().key()).hasToString("a");
            assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.EXPIRED);
        });
    }

    @Test
    void aClientThatIsClosedNoLongerWatchesTheClocks() {
        int before = SimulatedRuntime.clockWatchers(here.runtime);
        here.client.close();
        assertThat(SimulatedRuntime.clockWatchers(here.runtime)).isEqualTo(before - 1);
    }
}
