package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Waiting at a store without a queue: when it is asked, what wakes a waiter, and what is left in the end. */
class AcquireLoopTests {

    private static final LockKey KEY = LockKey.of("a");
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final ManualTicker ticker = new ManualTicker();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final LockRuntime runtime = new LockRuntime(ticker, scheduler);
    private final ScriptedStore store = new ScriptedStore();
    private final AcquireLoop loop = new AcquireLoop(runtime, store, CALL_TIMEOUT);

    @Test
    void aFreeKeyTakesOneTryAndNoSubscription() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(5));
        store.grant(KEY, ticker.now());
        assertThat(asked.join()).isPresent();
        assertThat(store.attempts).hasSize(1);
        assertThat(store.subscriptions).isEmpty();
        assertThat(store.withdrawals).isZero();
    }

    @Test
    void oneAttemptThatIsRefusedDoesNotSubscribe() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ZERO);
        store.refuse(LONG);
        assertThat(asked).isCompletedWithValue(Optional.empty());
        assertThat(store.subscriptions).isEmpty();
    }

    @Test
    void aRefusalIsFollowedByASubscriptionAndOneMoreTry() {
        acquire(Duration.ofSeconds(5));
        store.refuse(LONG);
        assertThat(store.attempts).hasSize(1);
        // What is released from now on is announced; what was released before is found by the second try.
        store.subscribed();
        assertThat(store.attempts).hasSize(2);
    }

    @Test
    void aParkedWaiterDoesNotPoll() {
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofSeconds(20), LONG);
        ticker.advance(Duration.ofMillis(19_999));
        assertThat(store.attempts).hasSize(2);
        assertThat(asked).isNotDone();
        ticker.advance(Duration.ofMillis(1));
        assertThat(asked).isCompletedWithValue(Optional.empty());
        assertThat(store.attempts).hasSize(2);
        assertNothingLeft();
    }

    @Test
    void aReleaseWakesAtOnce() {
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofSeconds(5), LONG);
        store.wake.run();
        store.grant(KEY, ticker.now());
        assertThat(asked.join()).isPresent();
        assertNothingLeft();
    }

    @Test
    void aReleaseThatIsAnnouncedWhileATryIsInFlightIsNotMissed() {
        parked(Duration.ofSeconds(5), LONG);
        store.wake.run();
        store.wake.run();
        assertThat(store.attempts).hasSize(3);
        store.refuse(LONG);
        assertThat(store.attempts).hasSize(4);
    }

    @Test
    void aHolderThatDiesIsFoundOutWhenItsTimeToLiveIsOver() {
        parked(Duration.ofSeconds(20), Duration.ofSeconds(3));
        ticker.advance(Duration.ofSeconds(3));
        assertThat(store.attempts).hasSize(2);
        ticker.advance(Duration.ofMillis(1));
        assertThat(store.attempts).hasSize(3);
    }

    @Test
    void aStoreThatFailsIsAskedAgainAfterPausesThatGrow() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(10));
        while (!asked.isDone()) {
            store.fail(false);
            ticker.advance(Duration.ofMillis(1));
        }
        assertThat(store.attempts).hasSizeBetween(12, 60);
        assertUnavailable(asked);
        assertThat(store.withdrawals).isZero();
    }

    @Test
    void aTryThatMayHaveBeenAppliedIsRepeatedAsSuch() {
        acquire(Duration.ofSeconds(10));
        store.fail(true);
        ticker.advance(Duration.ofSeconds(1));
        store.grant(KEY, ticker.now());
        assertThat(store.repeated).containsExactly(false, true);
        assertThat(store.withdrawals).isZero();
    }

    @Test
    void aReplyThatIsLostIsUnavailableAndWithdrawnUntilTheStoreGivesADefiniteAnswer() {
        store.onWithdraw = Release.UNKNOWN;
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ZERO);
        store.fail(true);
        assertUnavailable(asked);
        ticker.advance(Duration.ofSeconds(10));
        assertThat(store.withdrawals).isGreaterThan(3);
        assertThat(runtime.reaper().pending()).isEqualTo(1);
        store.onWithdraw = Release.RELEASED;
        ticker.advance(Duration.ofSeconds(2));
        assertNothingLeft();
    }

    @Test
    void aStoreThatNeverAnswersEndsAnAttemptWithinOneCallAndTheAttemptIsWithdrawn() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ZERO);
        ticker.advance(CALL_TIMEOUT.minusMillis(1));
        assertThat(asked).isNotDone();
        ticker.advance(Duration.ofMillis(1));
        assertUnavailable(asked);
        assertThat(store.withdrawals).isEqualTo(1);
    }

    @Test
    void aStoreThatStopsAnsweringEndsAWaitSoonAfterItsDeadline() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofMillis(300));
        ticker.advance(Duration.ofMillis(400));
        assertUnavailable(asked);
        assertThat(store.withdrawals).isEqualTo(1);
    }

    @Test
    void aGrantThatArrivesAfterTheCallerHasCancelledIsWithdrawn() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(5));
        asked.cancel(true);
        assertThat(store.withdrawals).isZero();
        store.grant(KEY, ticker.now());
        assertThat(store.withdrawals).isEqualTo(1);
        assertNothingLeft();
    }

    @Test
    void cancellingAParkedWaiterLeavesNeitherTimerNorSubscriptionNorPlaceAmongTheWaiters() {
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofSeconds(5), LONG);
        int timers = scheduler.pending();
        asked.cancel(true);
        assertThat(scheduler.pending()).isEqualTo(timers - 1);
        // The store may keep others out for a writer that waits, until that writer's deadline.
        assertThat(store.withdrawals).isEqualTo(1);
        assertNothingLeft();
        store.wake.run();
        ticker.advance(LONG);
        assertThat(store.attempts).hasSize(2);
    }

    @Test
    void aSubscriptionThatStandsTooLateIsClosed() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(5));
        store.refuse(LONG);
        asked.cancel(true);
        store.subscribed();
        assertThat(store.closedSubscriptions).isEqualTo(1);
        assertThat(store.attempts).hasSize(1);
    }

    @Test
    void aSubscriptionThatFailsIsMadeAgain() {
        acquire(Duration.ofSeconds(10));
        store.refuse(LONG);
        store.subscriptionFails();
        ticker.advance(Duration.ofSeconds(1));
        assertThat(store.attempts).hasSize(2);
        store.refuse(LONG);
        assertThat(store.subscriptions).hasSize(2);
    }

    @Test
    void aStoreThatCannotBeListenedToIsAskedAfterPausesThatGrow() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(10));
        while (!asked.isDone()) {
            store.refuse(LONG);
            store.subscriptionFails();
            ticker.advance(Duration.ofMillis(1));
        }
        assertThat(store.attempts).hasSizeBetween(12, 60);
    }

    /** Whichever came last: it may have been free while nobody listened. */
    @Test
    void aRefusalByAStoreThatCannotBeListenedToIsNoAnswer() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(1));
        store.refuse(LONG);
        store.subscriptionFails();
        ticker.advance(Duration.ofMillis(990));
        assertThat(store.attempts).hasSize(2);
        ticker.advance(Duration.ofMillis(20));
        store.refuse(LONG);
        assertUnavailable(asked);
    }

    @Test
    void aSubscriptionThatStandsLateMakesUpForALaterOneThatFails() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(10));
        store.refuse(LONG);
        ticker.advance(Duration.ofSeconds(2));
        store.refuse(LONG);
        assertThat(store.subscriptions).hasSize(2);
        store.subscriptions.get(0).complete(() -> {});
        store.subscriptionFails();
        ticker.advance(Duration.ofSeconds(2));
        store.refuse(LONG);
        ticker.advance(Duration.ofSeconds(10));
        assertThat(asked).isCompletedWithValue(Optional.empty());
    }

    @Test
    void aSubscriptionThatStandsAfterAllMakesUpForTheOneThatFailed() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(2));
        store.refuse(LONG);
        store.subscriptionFails();
        ticker.advance(Duration.ofSeconds(1));
        store.refuse(LONG);
        store.subscribed();
        store.refuse(LONG);
        ticker.advance(Duration.ofSeconds(1));
        assertThat(asked).isCompletedWithValue(Optional.empty());
    }

    @Test
    void closingFailsWhoeverWaitsAndWhoeverComesLater() {
        CompletableFuture<Optional<Grant>> waiting = parked(Duration.ofSeconds(5), LONG);
        loop.close();
        assertUnavailable(waiting);
        assertNothingLeft();
        assertUnavailable(acquire(Duration.ofSeconds(5)));
        assertThat(store.attempts).hasSize(2);
    }

    /** Refused, subscribed, refused again. */
    private CompletableFuture<Optional<Grant>> parked(Duration waitTime, Duration freeIn) {
        CompletableFuture<Optional<Grant>> asked = acquire(waitTime);
        store.refuse(freeIn);
        store.subscribed();
        store.refuse(freeIn);
        return asked;
    }

    private CompletableFuture<Optional<Grant>> acquire(Duration waitTime) {
        LockOptions options = LockOptions.defaults().withWaitTime(waitTime);
        return loop.acquire(new LeaseRequest(KEY, LockMode.EXCLUSIVE, "owner", options, Deadline.in(waitTime, ticker)));
    }

    private void assertNothingLeft() {
        assertThat(runtime.reaper().pending()).as("reaper").isZero();
        assertThat(store.closedSubscriptions).as("subscriptions").isEqualTo(store.subscriptions.size());
    }

    private static void assertUnavailable(CompletableFuture<Optional<Grant>> asked) {
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> asked.getNow(Optional.empty()))
                .withCauseInstanceOf(LockUnavailableException.class);
    }
}
