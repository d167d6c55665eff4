package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.spi.Grant;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the loop makes of a store's answers that follow one another, and of the last one above all. */
class AcquireLoopAnswersTests extends AcquireLoopFixture {

    private static final Duration WAIT = Duration.ofSeconds(10);

    /** Goes on until the store is asked again. */
    private void untilAskedAgain() {
        int before = store.attempts.size();
        for (int millis = 0; store.attempts.size() == before; millis++) {
            assertThat(millis).as("waited in vain").isLessThan(10_000);
            ticker.advance(Duration.ofMillis(1));
        }
    }

    @Test
    void oneTryThatMayHaveBeenAppliedIsWithdrawnThoughLaterOnesWereNot() {
        CompletableFuture<Optional<Grant>> asked = acquire(WAIT);
        store.fail(true);
        untilAskedAgain();
        store.fail(false);
        untilAskedAgain();
        store.fail(false);
        assertThat(store.repeated).startsWith(false, true, true);
        asked.cancel(true);
        assertThat(store.withdrawals).isEqualTo(1);
    }

    @Test
    void thoseWhoQueueBehindHearEachAnswer() {
        acquire(WAIT);
        store.fail("first", false);
        untilAskedAgain();
        store.refuse(LONG);
        store.subscriptionFails();
        untilAskedAgain();
        store.refuse(LONG);
        // Without a subscription a refusal is not the whole answer.
        assertThat(heard).containsExactly("first", "refused", "fails on purpose", "fails on purpose");
        store.subscribed();
        store.refuse(LONG);
        assertThat(heard).endsWith("fails on purpose", "refused");
    }

    @Test
    void theCallerIsToldTheLastFailure() {
        CompletableFuture<Optional<Grant>> asked = acquire(WAIT);
        store.fail("first", false);
        while (!asked.isDone()) {
            store.fail("second", false);
            ticker.advance(Duration.ofMillis(1));
        }
        assertThatThrownBy(() -> asked.getNow(Optional.empty())).hasMessageEndingWith("ms: second");
    }

    @Test
    void aTryThatTimesOutBeforeTheDeadlineIsTheLastFailure() {
        CompletableFuture<Optional<Grant>> asked = acquire(CALL_TIMEOUT.multipliedBy(3));
        store.fail("first", false);
        untilAskedAgain();
        ticker.advance(CALL_TIMEOUT);
        assertThat(heard).containsExactly("first", "no answer within 1000 ms");
        ticker.advance(CALL_TIMEOUT.multipliedBy(4));
        assertThatThrownBy(() -> asked.getNow(Optional.empty())).hasMessageEndingWith("no answer within 1000 ms");
    }

    @Test
    void whatTheStoreSaysJustAfterTheDeadlineIsTheLastFailure() {
        CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofMillis(30));
        store.fail("first", false);
        untilAskedAgain();
        ticker.advance(Duration.ofMillis(50));
        store.fail("second", false);
        assertThatThrownBy(() -> asked.getNow(Optional.empty())).hasMessageEndingWith("ms: second");
    }

    /** The last look is made shortly before it. */
    @Test
    void aRefusalJustAfterTheDeadlineIsARefusal() {
        CompletableFuture<Optional<Grant>> asked = parked(Duration.ofSeconds(1), LONG);
        untilAskedAgain();
        ticker.advance(Duration.ofMillis(150));
        store.refuse(LONG);
        assertThat(asked).isCompletedWithValue(Optional.empty());
        assertThat(store.withdrawals).isZero();
    }

    @Test
    void anAnswerEndsTheGrowingOfPauses() {
        acquire(Duration.ofMinutes(10));
        for (int failures = 0; failures < 8; failures++) {
            store.fail(false);
            untilAskedAgain();
        }
        store.refuse(LONG);
        store.subscribed();
        // Ends a series of failures, which the next one does not continue: after it, the pause is at most 20 ms.
        store.refuse(LONG);
        for (int round = 0; round < 20; round++) {
            store.wake.run();
            store.fail(false);
            int tries = store.attempts.size();
            ticker.advance(Duration.ofMillis(20));
            assertThat(store.attempts).hasSize(tries + 1);
            store.refuse(LONG);
        }
    }

    @Test
    void whileTheStoreOrTheSubscriptionFailsThePausesGrow() {
        for (boolean subscribing : List.of(false, true)) {
            CompletableFuture<Optional<Grant>> asked = acquire(Duration.ofMinutes(10));
            long longest = 0;
            for (int number = 0; number < 16; number++) {
                if (subscribing) {
                    store.refuse(LONG);
                    store.subscriptionFails();
                } else {
                    store.fail(false);
                }
                long before = ticker.nanos();
                untilAskedAgain();
                long pause = Duration.ofNanos(ticker.nanos() - before).toMillis();
                assertThat(pause).as("pause %s", number).isLessThanOrEqualTo(Math.min(1_000, 20L << number));
                longest = Math.max(longest, pause);
            }
            // They are random.
            assertThat(longest).isGreaterThan(100);
            asked.cancel(true);
            store.refuse(LONG);
        }
    }

    @Test
    void aCallThatHasFailedOnceIsAmongThoseThatClosingFails() {
        CompletableFuture<Optional<Grant>> asked = acquire(WAIT);
        store.fail(false);
        assertThat(loop.waiting()).isEqualTo(1);
        loop.close();
        assertUnavailable(asked);
        assertThat(loop.waiting()).isZero();
    }

    /** Where a driver blocks, it waits in a queue before a silent store, and would be applied later. */
    @Test
    void aTryThatIsGivenUpIsCancelledAndWithdrawn() {
        acquire(Duration.ZERO);
        assertThat(store.attempts.get(0)).isNotDone();
        ticker.advance(CALL_TIMEOUT);
        assertThat(store.attempts.get(0)).isCancelled();
        assertThat(store.withdrawals).isEqualTo(1);
        assertThat(heard).containsExactly("no answer within 1000 ms");
    }

    @Test
    void aGrantAfterARefusalIsNotWithdrawn() {
        CompletableFuture<Optional<Grant>> asked = parked(WAIT, LONG);
        store.wake.run();
        store.grant(KEY, ticker.now());
        assertThat(asked).isCompletedWithValueMatching(Optional::isPresent);
        assertThat(store.withdrawals).isZero();
        assertNothingLeft();
    }

    @Test
    void aSubscriptionThatArrivesAfterTheEndIsClosed() {
        CompletableFuture<Optional<Grant>> asked = acquire(WAIT);
        store.refuse(LONG);
        asked.cancel(true);
        ticker.advance(WAIT);
        store.subscribed();
        assertNothingLeft();
    }
}
