package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spi.Grant;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Waiting for a release: what wakes a waiter, what it asks once more, and how it listens. */
class ParkedWaiterTests extends AcquireLoopFixture {

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
    void whoJoinsAStandingSubscriptionParksAfterTheFirstRefusal() {
        store.isListening = true;
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(5));
        store.refuse(LONG);
        assertThat(store.attempts).hasSize(1);
        assertThat(store.subscriptions).hasSize(1);
        store.wake.run();
        assertThat(store.attempts).hasSize(2);
        store.grant(KEY, ticker.now());
        assertThat(asked).isCompletedWithValueMatching(Optional::isPresent);
        assertNothingLeft();
    }

    @Test
    void aReleaseDuringTheFirstTryIsFoundByWhoHasJoined() {
        store.isListening = true;
        acquire(Duration.ofSeconds(5));
        store.wake.run();
        assertThat(store.attempts).hasSize(1);
        // The answer may be older than the release.
        store.refuse(LONG);
        assertThat(store.attempts).hasSize(2);
    }

    @Test
    void whoHasJoinedAndGetsTheLockAtOnceLeavesTheSubscription() {
        store.isListening = true;
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(5));
        store.grant(KEY, ticker.now());
        assertThat(asked).isCompletedWithValueMatching(Optional::isPresent);
        assertNothingLeft();
    }

    @Test
    void aParkedWaiterDoesNotPollButLooksOnceMoreBeforeItsDeadline() {
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofSeconds(2), LONG);
        ticker.advance(Duration.ofMillis(1_899));
        assertThat(store.attempts).hasSize(2);
        ticker.advance(Duration.ofMillis(1));
        assertThat(store.attempts).hasSize(3);
        store.refuse(LONG);
        ticker.advance(Duration.ofMillis(99));
        assertThat(asked).isNotDone();
        ticker.advance(Duration.ofMillis(1));
        assertThat(asked).isCompletedWithValue(Optional.empty());
        assertThat(store.attempts).hasSize(3);
        assertNothingLeft();
    }

    @Test
    void aReleaseThatWasMissedIsFoundByTheLastLook() {
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofSeconds(2), LONG);
        ticker.advance(Duration.ofMillis(1_900));
        store.grant(KEY, ticker.now());
        assertThat(asked).isCompletedWithValueMatching(Optional::isPresent);
        assertNothingLeft();
    }

    /** The connection with the subscriptions may have fallen silent by itself. */
    @Test
    void aReleaseWhoseMessageIsLostIsFoundWithinSecondsAndTheSubscriptionIsProbed() {
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofSeconds(20), LONG);
        for (int millis = 0; store.attempts.size() < 3; millis++) {
            assertThat(Duration.ofMillis(millis)).isLessThan(AcquireLoop.LONGEST_PAUSE);
            ticker.advance(Duration.ofMillis(1));
        }
        assertThat(store.probes).isEqualTo(1);
        store.grant(KEY, ticker.now());
        assertThat(asked).isCompletedWithValueMatching(Optional::isPresent);
        assertNothingLeft();
    }

    @Test
    void aWaiterAsksAtMostTwiceInTheLongestPauseAndProbesOnlyThen() {
        CompletableFuture<Optional<Grant>> asked = parked(LONG, LONG);
        refuseToTheEnd(asked);
        assertThat(store.attempts).hasSizeBetween(2 + 6, 2 + 12);
        assertThat(store.probes).isBetween(5, 12);
        store.probes = 0;
        parked(LONG, LONG);
        store.wake.run();
        assertThat(store.probes).isZero();
    }

    @Test
    void aWaiterForWhomTheStoreLooksAsksOnlyOnceMoreBeforeItsDeadline() {
        store.looks = true;
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofMinutes(10), LONG);
        ticker.advance(Duration.ofMinutes(10).minusMillis(101));
        assertThat(store.attempts).hasSize(2);
        ticker.advance(Duration.ofMillis(1));
        assertThat(store.attempts).hasSize(3);
        store.refuse(LONG);
        ticker.advance(Duration.ofMillis(100));
        assertThat(asked).isCompletedWithValue(Optional.empty());
    }

    /** The store's first look for it may come later than that. */
    @Test
    void aWaiterForWhomTheStoreLooksAsksWhenTheLeaseEndsThatItHasSeen() {
        store.looks = true;
        parked(Duration.ofMinutes(10), Duration.ofSeconds(2));
        ticker.advance(Duration.ofSeconds(2));
        assertThat(store.attempts).hasSize(3);
    }

    @Test
    void aWaiterForWhomTheStoreLooksNoLongerAsksForItself() {
        store.looks = true;
        parked(Duration.ofMinutes(10), LONG);
        store.looks = false;
        store.wake.run();
        store.refuse(LONG);
        ticker.advance(AcquireLoop.LONGEST_PAUSE);
        assertThat(store.attempts).hasSizeGreaterThanOrEqualTo(4);
    }

    /** The try that began before the subscription stood may have been refused by a holder that has left since. */
    @Test
    void aSubscriptionThatStandsTooLateDuringATryIsFollowedByAnotherTry() {
        acquire(Duration.ofSeconds(20));
        store.refuse(LONG);
        ticker.advance(Duration.ofSeconds(2));
        assertThat(store.attempts).hasSize(2);
        store.subscribed();
        store.refuse(LONG);
        assertThat(store.attempts).hasSize(3);
    }

    @Test
    void aSubscriptionThatStandsTooLateEndsThePause() {
        acquire(Duration.ofSeconds(20));
        store.refuse(LONG);
        ticker.advance(CALL_TIMEOUT);
        assertThat(store.attempts).hasSize(1);
        store.subscribed();
        assertThat(store.attempts).hasSize(2);
    }

    @Test
    void aStoreThatThrowsWhenItIsListenedToIsAskedAgain() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(10));
        store.isDeaf = true;
        store.refuse(LONG);
        store.isDeaf = false;
        ticker.advance(Duration.ofSeconds(1));
        assertThat(store.attempts).hasSize(2);
        store.grant(KEY, ticker.now());
        assertThat(asked.join()).isPresent();
    }

    @Test
    void aStoreThatFreezesBehindAParkedWaiterIsUnavailableAndNotHeldByAnother() {
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofSeconds(2), LONG);
        ticker.advance(Duration.ofMillis(2_100));
        assertUnavailable(asked);
        assertThat(store.attempts).hasSize(3);
        assertThat(store.withdrawals).isEqualTo(1);
    }

    @Test
    void aStoreThatIsGoneBehindAParkedWaiterIsUnavailableAndNotHeldByAnother() {
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofSeconds(2), LONG);
        ticker.advance(Duration.ofMillis(1_900));
        while (!asked.isDone()) {
            store.fail(false);
            ticker.advance(Duration.ofMillis(1));
        }
        assertUnavailable(asked);
        assertNothingLeft();
    }

    @Test
    void aShortWaitIsOverWithoutALastLook() {
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofMillis(200), LONG);
        ticker.advance(Duration.ofMillis(200));
        assertThat(asked).isCompletedWithValue(Optional.empty());
        assertThat(store.attempts).hasSize(2);
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
        parked(Duration.ofSeconds(20), Duration.ofSeconds(2));
        ticker.advance(Duration.ofSeconds(2).minusMillis(1));
        assertThat(store.attempts).hasSize(2);
        ticker.advance(Duration.ofMillis(1));
        assertThat(store.attempts).hasSize(3);
    }

    @Test
    void cancellingAParkedWaiterLeavesNeitherTimerNorSubscriptionNorPlaceAmongTheWaiters() {
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofSeconds(5), LONG);
        asked.cancel(true);
        // The store may keep others out for a writer that waits, until that writer's deadline.
        assertThat(store.withdrawals).isEqualTo(1);
        assertNothingLeft();
        assertThat(scheduler.pending()).isZero();
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
    void aWaiterThatIsCancelledWhileItsSubscriptionFailsIsForgotten() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofSeconds(5));
        store.refuse(LONG);
        assertThat(loop.waiting()).isEqualTo(1);
        asked.cancel(true);
        store.subscriptionFails();
        assertThat(loop.waiting()).isZero();
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
        refuseToTheEnd(asked);
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
        refuseToTheEnd(asked);
        assertThat(asked).isCompletedWithValue(Optional.empty());
    }
}
