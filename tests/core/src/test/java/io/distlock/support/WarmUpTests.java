package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Connecting in the background, and what is said of it. */
class WarmUpTests {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final ManualTicker ticker = new ManualTicker();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final List<CompletableFuture<String>> tries = new ArrayList<>();
    private final WarmUp warmUp = new WarmUp("Store", scheduler, () -> {
        tries.add(new CompletableFuture<>());
        return last();
    });

    private CompletableFuture<String> last() {
        return tries.get(tries.size() - 1);
    }

    private void fail() {
        last().completeExceptionally(new IOException("refused"));
    }

    @Test
    void itIsConnectedOnTheSchedulersThreadAndItsLimitIsGone() {
        CompletableFuture<Boolean> connected = warmUp.start("some.*", LIMIT);
        last().complete("made");
        assertThat(connected).isNotDone();
        ticker.advance(Duration.ZERO);
        assertThat(connected).isCompletedWithValue(true);
        assertThat(scheduler.pending()).isZero();
        assertThat(tries).hasSize(1);
    }

    @Test
    void whoeverIsNotConnectedInTimeIsWaitedForNoLongerButGoesOnTrying() {
        CompletableFuture<Boolean> connected = warmUp.start("some.*", LIMIT);
        ticker.advance(LIMIT.minusMillis(1));
        assertThat(connected).isNotDone();
        ticker.advance(Duration.ofMillis(1));
        assertThat(connected).isCompletedWithValue(false);
        fail();
        ticker.advance(Duration.ofMillis(100));
        assertThat(tries).hasSize(2);
    }

    @Test
    void aStoreThatRefusesIsTriedAgainAfterPausesThatGrowToAMinuteAndWarnedOfOnce() {
        try (LogCapture log = new LogCapture()) {
            warmUp.start("some.*", LIMIT);
            List<Integer> pauses = new ArrayList<>();
            for (int number = 1; number <= 20; number++) {
                fail();
                int millis = 0;
                for (; tries.size() == number; millis++) {
                    assertThat(millis).as("pause %s", number).isLessThanOrEqualTo(60_000);
                    ticker.advance(Duration.ofMillis(1));
                }
                pauses.add(millis);
            }
            assertThat(pauses.get(0)).isLessThanOrEqualTo(100);
            // They are random.
            assertThat(pauses).anyMatch(millis -> millis > 6_000);
            assertThat(log.messages())
                    .containsExactly("Store is not ready for locks: refused. Make sure that it is running, and check"
                            + " some.*");
            last().complete("made");
            assertThat(log.messages()).hasSize(2).last().isEqualTo("Store is ready for locks");
        }
    }

    @Test
    void oneThatConnectsAtOnceSaysNothing() {
        try (LogCapture log = new LogCapture()) {
            warmUp.start("some.*", LIMIT);
            last().complete("made");
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void aCloseEndsTheWaitAndTheTries() {
        CompletableFuture<Boolean> connected = warmUp.start("some.*", LIMIT);
        fail();
        warmUp.close();
        assertThat(connected).isCompletedWithValue(false);
        ticker.advance(LIMIT);
        assertThat(tries).hasSize(1);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void aTryThatEndsAfterTheCloseSaysAndStartsNothing() {
        try (LogCapture log = new LogCapture()) {
            warmUp.start("some.*", LIMIT);
            warmUp.close();
            fail();
            assertThat(log.messages()).isEmpty();
            assertThat(scheduler.pending()).isZero();
        }
    }

    @Test
    void theReasonIsThatOfTheInnermostCause() {
        Throwable refused = new IOException("Unable to connect", new IOException("WRONGPASS invalid password"));
        assertThat(WarmUp.reason(new CompletionException(refused))).isEqualTo("WRONGPASS invalid password");
    }

    @Test
    void aCauseThatSaysNothingIsNoReason() {
        assertThat(WarmUp.reason(new IOException("connecting failed", new ClosedChannelException())))
                .isEqualTo("connecting failed");
        assertThat(WarmUp.reason(new CompletionException(new ClosedChannelException())))
                .isEqualTo("the connection broke");
    }
}
