package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.Release;
import io.distlock.spi.Grant;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Waiting at a store without a queue: when it is asked, how that ends, and what is left in the end. */
class AcquireLoopTests extends AcquireLoopFixture {

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

    /** It knows best: a lease that the store never grants is no silence. */
    @Test
    void whatTheStoreSaysIsWhatTheCallerIsTold() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ZERO);
        store.fail(false);
        assertThatThrownBy(asked::join).hasMessageEndingWith("ms: fails on purpose");
    }

    /** Such as replicas that are missing. */
    @Test
    void aTryThatTheDeadlineCutsShortDoesNotHideWhatTheStoreSaidBefore() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofMillis(300));
        store.fail(true);
        ticker.advance(Duration.ofSeconds(1));
        assertThat(store.attempts).hasSizeGreaterThan(1);
        assertThatThrownBy(asked::join).hasMessageEndingWith("ms: fails on purpose");
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

    /** Where a failure was expected as an answer. */
    @Test
    void aStoreThatThrowsAtALaterTryEndsTheWait() {
        CompletableFuture<Optional<Grant>> asked = parked(LONG, LONG);
        store.isBroken = true;
        store.wake.run();
        ticker.advance(LONG);
        assertUnavailable(asked);
        assertNothingLeft();
    }
}
