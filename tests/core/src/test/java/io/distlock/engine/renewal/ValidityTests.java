package io.distlock.engine.renewal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** For how long a grant is believed. No timer runs here but by the test's hand: the clock alone decides. */
@EndsInTime
class ValidityTests {

    private static final long VALIDITY = 29_698;

    private final ManualTicker timers = new ManualTicker();
    private final ManualEngine here = new ManualEngine(new ManualTicker(), timers);

    @ParameterizedTest
    @CsvSource({"100, 97", "1000, 988", "30000, 29698", "86400000, 85535998"})
    void aLeaseIsBelievedForItsTimeLessOnePercentAndTwoMilliseconds(long lease, long validity) {
        HeldLock held = here.client.acquire(here.now("a").withRenew(false).withLeaseTime(Duration.ofMillis(lease)));
        assertThat(held.remaining()).isEqualTo(Duration.ofMillis(validity));
        here.advanceMillis(validity - 1);
        assertThat(held.isHeld()).isTrue();
        here.advanceMillis(1);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.remaining()).isZero();
    }

    @Test
    void whoeverAsksAfterTheEndLearnsOfTheLossWithoutAnyTimer() {
        HeldLock held = here.hold("a");
        here.advanceMillis(VALIDITY);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(held::ensureHeld)
                .satisfies(lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.EXPIRED))
                .satisfies(lost -> assertThat(lost.elapsed()).isEqualTo(Duration.ofMillis(VALIDITY)));
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
    }

    @Test
    void aWallClockThatLeapsForwardCountsAsTimePassed() {
        HeldLock held = here.hold("a");
        here.ticker.stepWallClock(Duration.ofSeconds(20));
        assertThat(held.remaining()).isEqualTo(Duration.ofMillis(VALIDITY - 20_000));
        here.ticker.stepWallClock(Duration.ofSeconds(10));
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void aLossByTheWallClockIsNotTakenBackWhenTheClockIs() {
        HeldLock held = here.hold("a");
        here.ticker.stepWallClock(Duration.ofHours(1));
        assertThat(held.isHeld()).isFalse();
        here.ticker.stepWallClock(Duration.ofHours(-1));
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void aWallClockThatIsSetBackExtendsNothing() {
        HeldLock held = here.hold("a");
        here.ticker.stepWallClock(Duration.ofHours(-1));
        here.advanceMillis(VALIDITY - 1);
        assertThat(held.remaining()).isEqualTo(Duration.ofMillis(1));
        here.advanceMillis(1);
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void aRenewalIsGoodForTheWholeLeaseFromWhenItWasSentNotFromWhenItWasAnswered() {
        HeldLock held = here.hold("a");
        sendRenewalAfter(10_500);
        here.advanceMillis(1_000);
        here.provider.deliver();
        assertThat(held.remaining()).isEqualTo(Duration.ofMillis(VALIDITY - 1_000));
    }

    @Test
    void anUnansweredRenewalExtendsNothing() {
        HeldLock held = here.hold("a");
        sendRenewalAfter(10_500);
        assertThat(held.remaining()).isEqualTo(Duration.ofMillis(VALIDITY - 10_500));
    }

    @Test
    void anOlderRenewalDoesNotShortenWhatANewerOneGave() {
        HeldLock held = here.hold("a");
        sendRenewalAfter(10_500);
        // The first try times out and is made again, and that one is answered first.
        here.provider.onRenew(Fault.NONE);
        advanceBoth(2_000);
        advanceBoth(1_500);
        assertThat(here.provider.renewals()).isEqualTo(2);
        assertThat(held.remaining()).isEqualTo(Duration.ofMillis(VALIDITY));
        here.provider.deliver();
        assertThat(held.remaining()).isEqualTo(Duration.ofMillis(VALIDITY));
    }

    @Test
    void aRenewalThatIsConfirmedAfterTheEndDoesNotReviveTheLock() {
        HeldLock held = here.hold("a");
        sendRenewalAfter(10_500);
        // Nobody has asked, and no timer has run: the answer itself is what meets the expired lease.
        here.advanceMillis(VALIDITY - 10_500);
        here.provider.deliver();
        assertThat(held.isHeld()).isFalse();
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
    }

    @Test
    void aRenewalThatIsConfirmedAfterTheReleaseDoesNotReviveTheLock() {
        HeldLock held = here.hold("a");
        sendRenewalAfter(10_500);
        held.release();
        here.provider.deliver();
        assertThat(held.isHeld()).isFalse();
        assertThat(here.eventNames()).containsExactly("Acquired", "Released");
    }

    @Test
    void aLockThatWasReleasedIsNotHeldThoughItsTimeIsNotOver() {
        HeldLock held = here.hold("a");
        held.release();
        assertThat(held.isHeld()).isFalse();
        assertThat(held.remaining()).isZero();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(held::ensureHeld)
                .withMessageContaining("released");
    }

    private void sendRenewalAfter(long millis) {
        here.provider.onRenew(Fault.LATE);
        advanceBoth(millis);
        assertThat(here.provider.renewals()).isEqualTo(1);
    }

    /** The timers run at the end of the time, and not on the way. */
    private void advanceBoth(long millis) {
        here.advanceMillis(millis);
        timers.advance(Duration.ofMillis(millis));
    }
}
