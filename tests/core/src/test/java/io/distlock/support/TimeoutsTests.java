package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class TimeoutsTests {

    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final ManualTicker ticker = new ManualTicker();
    /** On a clock of their own, so that they can be late. */
    private final ManualTicker timers = new ManualTicker();

    private final ManualScheduler scheduler = new ManualScheduler(timers);
    private final Timeouts timeouts = new LockRuntime(ticker, scheduler).timeouts();
    private final CompletableFuture<String> stage = new CompletableFuture<>();

    private void advance(Duration time) {
        ticker.advance(time);
        timers.advance(time);
    }

    @Test
    void aCallWithoutAnAnswerFailsAtItsLimitAndALaterAnswerIsIgnored() {
        CompletableFuture<String> call = timeouts.within(LIMIT, stage);
        advance(LIMIT.minus(MOMENT));
        assertThat(call).isNotDone();
        advance(MOMENT);
        assertThatThrownBy(() -> call.getNow(null))
                .hasRootCauseInstanceOf(TimeoutException.class)
                .hasRootCauseMessage("no answer within 2000 ms");
        stage.complete("late");
        assertThat(call).isCompletedExceptionally();
    }

    @Test
    void aCallThatIsAnsweredInTimeLeavesNoTimerToGoOff() {
        CompletableFuture<String> call = timeouts.within(LIMIT, stage);
        stage.complete("answer");
        assertThat(call).isCompletedWithValue("answer");
        advance(LIMIT);
        assertThat(scheduler.pending()).isZero();
        assertThat(call).isCompletedWithValue("answer");
    }

    @Test
    void aFailureOfTheCallIsItsAnswer() {
        CompletableFuture<String> call = timeouts.within(LIMIT, stage);
        stage.completeExceptionally(new IllegalStateException("on purpose"));
        assertThatThrownBy(() -> call.getNow(null)).hasRootCauseMessage("on purpose");
    }

    /** The store may have answered meanwhile: the process, and not the store, was silent. */
    @Test
    void whoeverNoticesHalfASecondLateSaysThatTheProcessWasPaused() {
        CompletableFuture<String> call = timeouts.within(LIMIT, stage);
        ticker.advance(LIMIT.plusMillis(499));
        assertThat(timeouts.lateness(ticker.nanos() - 499_000_000)).isEmpty();
        ticker.advance(MOMENT);
        timers.advance(LIMIT);
        assertThatThrownBy(() -> call.getNow(null))
                .hasRootCauseMessage(
                        "no answer within 2000 ms; this process was paused, or too busy to notice, for 500 ms");
    }

    @Test
    void aWaitForTheEndKeepsAnInterruptAndFailsNever() {
        Thread.currentThread().interrupt();
        Timeouts.await(stage, Duration.ofDays(1));
        assertThat(Thread.interrupted()).isTrue();
        Timeouts.await(stage, Duration.ZERO);
        Timeouts.await(CompletableFuture.failedFuture(new IllegalStateException("on purpose")), LIMIT);
    }
}
