package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.spi.Renewal;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Renewals that are refused, fail, or are not answered; of one lock, of another, of all. */
@EndsInTime
class RenewalTroubleTests {

    private static final long VALIDITY = 29_698;

    private final ManualEngine here = new ManualEngine();

    @Test
    void aLockThatTheStoreNoLongerKnowsIsLostWithTheAnswer() {
        HeldLock held = here.hold("a");
        here.deleteByHand("a");
        here.advanceUntil(() -> here.provider.renewals() == 1, Duration.ofSeconds(30));
        assertThat(held.isHeld()).isFalse();
        assertThat(here.events(LockEvent.Lost.class))
                .singleElement()
                .extracting(lost -> lost.loss().reason())
                .isEqualTo(LockLoss.Reason.NOT_OWNER);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"SILENCE", "REPLY_LOST", "ERROR", "LATE"})
    void aLockThatCannotBeRenewedIsHeldAndTriedAgainUntilItsValidityIsOverAndLostThen(Fault fault) {
        HeldLock held = here.hold("a");
        here.provider.onRenew(fault);
        here.advanceMillis(VALIDITY - 1);
        assertThat(held.isHeld()).isTrue();
        assertThat(here.provider.renewals()).isGreaterThanOrEqualTo(5);
        here.advanceMillis(1);
        // Told by a timer: nobody has asked the lock.
        assertThat(here.events(LockEvent.Lost.class))
                .singleElement()
                .extracting(lost -> lost.loss().reason())
                .isEqualTo(LockLoss.Reason.EXPIRED);
        assertThat(held.isHeld()).isFalse();
    }

    /** Not only once the try would have been given up, which is 2 s after it began. */
    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"REPLY_LOST", "ERROR"})
    void afterAnAnswerThatSaysNothingTheStoreIsAskedAgainInATwentiethOfTheLease(Fault fault) {
        here.hold("a");
        here.provider.onRenew(fault);
        here.advanceUntil(() -> here.provider.renewals() == 1, Duration.ofSeconds(30));
        here.advanceMillis(1_499);
        assertThat(here.provider.renewals()).isEqualTo(1);
        here.advanceMillis(1);
        assertThat(here.provider.renewals()).isEqualTo(2);
    }

    @Test
    void soItIsIfThatAnswerComesLater() {
        DefaultHeldLock held = (DefaultHeldLock) here.hold("a");
        here.provider.onRenew(Fault.SILENCE);
        here.advanceUntil(() -> here.provider.renewals() == 1, Duration.ofSeconds(30));
        here.advanceMillis(100);
        held.answered(Renewal.UNKNOWN, here.ticker.now());
        here.advanceMillis(1_499);
        assertThat(here.provider.renewals()).isEqualTo(1);
        here.advanceMillis(1);
        assertThat(here.provider.renewals()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"SILENCE", "REPLY_LOST", "ERROR"})
    void aLockSurvivesTroubleThatPassesWithinItsValidity(Fault fault) {
        HeldLock held = here.hold("a");
        here.provider.onRenew(fault);
        here.advanceMillis(VALIDITY - 5_000);
        here.provider.onRenew(Fault.NONE);
        here.ticker.advance(Duration.ofMinutes(5));
        assertThat(held.isHeld()).isTrue();
        assertThat(here.events(LockEvent.Lost.class)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"SILENCE", "REPLY_LOST", "ERROR", "THROW"})
    void troubleWithOneLockTouchesNoOther(Fault fault) {
        HeldLock sick = here.hold("sick");
        HeldLock well = here.hold("well");
        HeldLock alsoWell = here.hold("also-well");
        here.provider.onRenew(LockKey.of("sick"), fault);
        here.advanceMillis(VALIDITY - 1);
        assertThat(sick.isHeld()).isTrue();
        here.advanceMillis(1);
        assertThat(sick.isHeld()).isFalse();
        here.ticker.advance(Duration.ofMinutes(5));
        assertThat(well.isHeld()).isTrue();
        assertThat(alsoWell.isHeld()).isTrue();
    }

    @Test
    void aLockThatIsLostTouchesNoOtherInItsBatch() {
        HeldLock gone = here.hold("gone");
        HeldLock well = here.hold("well");
        here.deleteByHand("gone");
        here.ticker.advance(Duration.ofMinutes(5));
        assertThat(gone.isHeld()).isFalse();
        assertThat(well.isHeld()).isTrue();
    }

    @Test
    void aListenerThatThrowsOnOneRenewalTouchesNoOther() {
        HeldLock sick = here.hold("sick");
        HeldLock well = here.hold("well");
        here.client.addListener(event -> {
            throw new IllegalStateException("listener fails on purpose");
        });
        here.ticker.advance(Duration.ofMinutes(5));
        assertThat(sick.isHeld()).isTrue();
        assertThat(well.isHeld()).isTrue();
    }

    @Test
    void aFailureThatArrivesAfterTheReleaseIsNoNews() {
        DefaultHeldLock held = (DefaultHeldLock) here.hold("a");
        here.provider.onRenew(Fault.SILENCE);
        here.advanceUntil(() -> here.provider.renewals() == 1, Duration.ofSeconds(30));
        held.release();
        held.answered(Renewal.UNKNOWN, here.ticker.now());
        assertThat(here.eventNames()).containsExactly("Acquired", "Released");
    }

    @Test
    void aRefusalThatArrivesAfterTheReleaseIsNoLoss() {
        HeldLock held = here.hold("a");
        here.deleteByHand("a");
        here.provider.onRenew(Fault.LATE);
        here.advanceUntil(() -> here.provider.renewals() == 1, Duration.ofSeconds(30));
        here.provider.onRelease(Fault.REPLY_LOST);
        held.release();
        here.provider.deliver();
        assertThat(here.eventNames()).containsExactly("Acquired", "Released");
    }
}
