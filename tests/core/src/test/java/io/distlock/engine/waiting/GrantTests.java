package io.distlock.engine.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a provider's answer to an acquisition: in time, late, wrong or missing. */
@EndsInTime
class GrantTests {

    /** A silent provider's own time limit of 1 s, and 250 ms for it to say so itself. */
    private static final Duration PROVIDER_LIMIT = Duration.ofMillis(1_250);

    private final ManualEngine here = new ManualEngine();

    @Test
    void aGrantWithATenthOfItsLeaseLeftIsTaken() {
        CompletableFuture<Optional<HeldLock>> asked = answeredAfter(888, oneSecond());
        assertThat(asked.join()).get().extracting(HeldLock::remaining).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void aGrantWithLessThanATenthOfItsLeaseLeftIsGivenBackAndDoesNotCount() {
        assertTooLate(answeredAfter(889, oneSecond()));
        assertThat(here.eventNames()).containsExactly("Failed");
        here.assertNothingLeft("a");
    }

    @Test
    void aGrantWith20MillisecondsLeftOfAShortLeaseIsTaken() {
        CompletableFuture<Optional<HeldLock>> asked = answeredAfter(77, shortLease());
        assertThat(asked.join()).get().extracting(HeldLock::remaining).isEqualTo(Duration.ofMillis(20));
    }

    @Test
    void aGrantWithLessThan20MillisecondsLeftOfAShortLeaseIsGivenBack() {
        assertTooLate(answeredAfter(78, shortLease()));
        here.assertNothingLeft("a");
    }

    @Test
    void aGrantThatCameTooLateIsAskedForAgainWhileThereIsTime() {
        here.provider.onAcquire(Fault.LATE);
        CompletableFuture<Optional<HeldLock>> asked = here.start(oneSecond().withWaitTime(Duration.ofSeconds(5)));
        here.advanceMillis(900);
        here.provider.onAcquire(Fault.NONE);
        here.provider.deliver();
        assertThat(asked.join()).get().extracting(HeldLock::remaining).isEqualTo(Duration.ofMillis(988));
        assertThat(here.provider.acquires()).isEqualTo(2);
    }

    @Test
    void aWallClockThatLeaptWhileTheGrantWasUnderWayCountsAsTimePassed() {
        here.provider.onAcquire(Fault.LATE);
        CompletableFuture<Optional<HeldLock>> asked = here.start(oneSecond());
        here.ticker.stepWallClock(Duration.ofMillis(889));
        here.provider.deliver();
        assertTooLate(asked);
    }

    @Test
    void aGrantThatArrivesAfterTheCallerHasCancelledIsGivenBack() {
        here.provider.onAcquire(Fault.LATE);
        CompletableFuture<Optional<HeldLock>> asked = here.start(here.request("a"));
        asked.cancel(true);
        assertThat(here.isFree("a")).isFalse();
        here.provider.deliver();
        assertThat(here.provider.releases()).isEqualTo(1);
        here.assertNothingLeft("a");
    }

    @Test
    void aGrantThatArrivesAfterTheCallHasEndedIsGivenBack() {
        here.provider.onAcquire(Fault.LATE);
        CompletableFuture<Optional<HeldLock>> asked = here.start(here.request("a"));
        here.ticker.advance(Duration.ofSeconds(5).plus(PROVIDER_LIMIT));
        assertThat(asked).isCompletedExceptionally();
        here.provider.deliver();
        assertThat(here.provider.releases()).isEqualTo(1);
        here.assertNothingLeft("a");
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"ERROR", "THROW"})
    void aProviderThatFailsIsNotTakenForABusyLock(Fault fault) {
        here.provider.onAcquire(fault);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> here.client.tryAcquire(here.request("a")))
                .withMessageContaining("on purpose")
                .withCauseInstanceOf(IllegalStateException.class)
                .satisfies(failure -> assertThat(failure.key()).isEqualTo(LockKey.of("a")));
        assertThat(here.eventNames()).containsExactly("Failed");
        here.assertNothingLeft("a");
    }

    @Test
    void aProviderThatThrowsAtTheNextInTheQueueDoesNotHarmWhoeverReleases() {
        HeldLock held = here.hold("a");
        CompletableFuture<Optional<HeldLock>> next = here.start(here.request("a"));
        here.provider.onAcquire(Fault.THROW);
        assertThat(held.releaseAsync()).isCompletedWithValue(Release.RELEASED);
        assertThat(next).isCompletedExceptionally();
        here.assertNothingLeft("a");
    }

    @Test
    void aProviderThatNeverAnswersEndsTheCallWithItsDeadlineAndOneCall() {
        assertSilenceEndsAfter(
                here.request("a"), Duration.ofSeconds(5).plus(PROVIDER_LIMIT).toMillis());
    }

    @Test
    void aProviderThatNeverAnswersEndsASingleAttemptWithOneCall() {
        assertSilenceEndsAfter(here.now("a"), PROVIDER_LIMIT.toMillis());
    }

    private void assertSilenceEndsAfter(LockRequest request, long millis) {
        here.provider.onAcquire(Fault.SILENCE);
        CompletableFuture<HeldLock> asked = here.client.acquireAsync(request);
        here.advanceMillis(millis - 1);
        assertThat(asked).isNotDone();
        here.advanceMillis(1);
        assertThat(asked).isCompletedExceptionally();
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(asked::join)
                .havingCause()
                .isInstanceOfSatisfying(
                        LockUnavailableException.class,
                        failure -> assertThat(failure.elapsed()).isEqualTo(Duration.ofMillis(millis)));
        here.assertNothingLeft("a");
    }

    @Test
    void aHeldLockIsNotAcquiredAndNotUnavailable() {
        here.other.acquire(here.request("a"));
        CompletableFuture<HeldLock> asked = here.client.acquireAsync(here.request("a"));
        here.advanceMillis(5_000);
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(asked::join)
                .havingCause()
                .isInstanceOfSatisfying(
                        LockNotAcquiredException.class,
                        failure -> assertThat(failure.elapsed()).isEqualTo(Duration.ofSeconds(5)));
        assertThat(here.events(LockEvent.NotAcquired.class)).hasSize(1);
    }

    private CompletableFuture<Optional<HeldLock>> answeredAfter(long millis, LockRequest request) {
        here.provider.onAcquire(Fault.LATE);
        CompletableFuture<Optional<HeldLock>> asked = here.start(request);
        here.advanceMillis(millis);
        assertThat(asked).isNotDone();
        here.provider.deliver();
        return asked;
    }

    /** Nobody else had it: not to be taken for "held by another". */
    private static void assertTooLate(CompletableFuture<Optional<HeldLock>> asked) {
        assertThat(asked)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LockUnavailableException.class)
                .withMessageContaining("arrived too late");
    }

    /** Valid for 988 ms. */
    private LockRequest oneSecond() {
        return here.now("a").withLeaseTime(Duration.ofSeconds(1));
    }

    /** Valid for 97 ms, a tenth of which would be less than 20 ms. */
    private LockRequest shortLease() {
        return here.now("a").withRenew(false).withLeaseTime(Duration.ofMillis(100));
    }
}
