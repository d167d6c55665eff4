package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.Release;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long what may have been left at a store is followed up. */
class ReaperTests {

    private static final Duration TIME_TO_LIVE = Duration.ofSeconds(30);

    private final ManualTicker ticker = new ManualTicker();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final Reaper reaper = new LockRuntime(ticker, scheduler).reaper();
    private CompletableFuture<Release> answer = new CompletableFuture<>();
    private int asked;

    @BeforeEach
    void reap() {
        reaper.reap("An attempt", TIME_TO_LIVE, () -> {
            asked++;
            return answer;
        });
    }

    @Test
    void whatIsFoundAndDeletedCountsOnceAndIsLookedForAgainUntilNothingIsThereThreeTimes() {
        answer.complete(Release.RELEASED);
        assertThat(asked).isEqualTo(1);
        assertCounts(1, 0, 0);
        assertThat(reaper.pending()).isEqualTo(1);
        answer = CompletableFuture.completedFuture(Release.NOT_OWNER);
        ticker.advance(Duration.ofSeconds(1));
        assertThat(reaper.pending()).isEqualTo(1);
        answer = CompletableFuture.completedFuture(Release.RELEASED);
        ticker.advance(Duration.ofSeconds(1));
        assertThat(reaper.pending()).isEqualTo(1);
        answer = CompletableFuture.completedFuture(Release.NOT_OWNER);
        ticker.advance(Duration.ofSeconds(6));
        assertThat(asked).isEqualTo(6);
        assertSettled();
        assertCounts(1, 0, 0);
    }

    /** It cannot tell whether anything was there. */
    @Test
    void aStoreThatAlwaysSaysReleasedIsAskedThreeTimes() {
        answer.complete(Release.RELEASED);
        ticker.advance(Duration.ofSeconds(5));
        assertThat(asked).isEqualTo(3);
        assertSettled();
        assertCounts(1, 0, 0);
    }

    @Test
    void thatNothingIsThereCountsWhenItIsSaidThreeTimes() {
        answer.complete(Release.NOT_OWNER);
        ticker.advance(Duration.ofMillis(999));
        assertThat(asked).isEqualTo(1);
        assertThat(reaper.pending()).isEqualTo(1);
        ticker.advance(Duration.ofMillis(1));
        assertThat(asked).isEqualTo(2);
        ticker.advance(Duration.ofMillis(3_999));
        assertThat(reaper.pending()).isEqualTo(1);
        ticker.advance(Duration.ofMillis(1));
        assertThat(asked).isEqualTo(3);
        assertSettled();
        assertCounts(0, 1, 0);
    }

    /** It may wait in a buffer, or to be sent once more, after its connection has gone. */
    @Test
    void aRequestThatArrivesLaterThanTheSecondLookIsFoundByTheThird() {
        answer.complete(Release.NOT_OWNER);
        ticker.advance(Duration.ofMillis(1_500));
        assertThat(asked).isEqualTo(2);
        answer = CompletableFuture.completedFuture(Release.RELEASED);
        ticker.advance(Duration.ofMillis(3_500));
        assertThat(reaper.withdrawn()).isEqualTo(1);
    }

    @Test
    void aRequestThatWasAppliedAfterTheFirstLookIsFoundByTheSecond() {
        answer.complete(Release.NOT_OWNER);
        answer = CompletableFuture.completedFuture(Release.RELEASED);
        ticker.advance(Duration.ofSeconds(1));
        assertThat(asked).isEqualTo(2);
        assertThat(reaper.withdrawn()).isEqualTo(1);
    }

    @Test
    void anUnknownAnswerIsAskedForAgainAfterAPause() {
        answer.complete(Release.UNKNOWN);
        assertThat(asked).isEqualTo(1);
        ticker.advance(Duration.ofMillis(50));
        assertThat(asked).isGreaterThanOrEqualTo(2);
        answer = CompletableFuture.completedFuture(Release.RELEASED);
        ticker.advance(Duration.ofSeconds(6));
        assertSettled();
    }

    @Test
    void aFailureIsAnUnknownAnswer() {
        answer.completeExceptionally(new IllegalStateException("fails on purpose"));
        ticker.advance(Duration.ofSeconds(5));
        assertThat(asked).isGreaterThan(2);
        assertThat(reaper.pending()).isEqualTo(1);
    }

    @Test
    void oneQuestionAtATimeIsAsked() {
        ticker.advance(Duration.ofSeconds(29));
        assertThat(asked).isEqualTo(1);
        assertThat(reaper.pending()).isEqualTo(1);
    }

    @Test
    void whatHasExpiredByItselfIsAskedForNoMore() {
        answer.complete(Release.UNKNOWN);
        ticker.advance(TIME_TO_LIVE);
        assertThat(reaper.pending()).isEqualTo(1);
        // The longest pause.
        ticker.advance(Duration.ofSeconds(2));
        assertSettled();
        assertCounts(0, 0, 1);
        int then = asked;
        ticker.advance(TIME_TO_LIVE);
        assertThat(asked).isEqualTo(then);
    }

    @Test
    void pausesGrowToTwoSeconds() {
        answer.complete(Release.UNKNOWN);
        ticker.advance(TIME_TO_LIVE);
        assertThat(asked).isBetween(15, 60);
    }

    @Test
    void aTryThatThrowsIsOneThatFailed() {
        answer.complete(Release.RELEASED);
        reaper.reap("Another", TIME_TO_LIVE, () -> {
            asked++;
            throw new IllegalStateException("fails on purpose");
        });
        ticker.advance(Duration.ofSeconds(5));
        assertThat(asked).isGreaterThan(3);
        assertThat(reaper.pending()).isEqualTo(1);
        ticker.advance(TIME_TO_LIVE);
        assertSettled();
    }

    @Test
    void aTryThatNeverEndsIsGivenUpWhenWhatItIsAboutHasExpired() {
        ticker.advance(TIME_TO_LIVE.plusSeconds(2));
        assertThat(asked).isEqualTo(1);
        assertSettled();
    }

    @Test
    void beyondTheBoundOneTryIsMadeAndNoneAfterIt() {
        answer = CompletableFuture.completedFuture(Release.UNKNOWN);
        while (reaper.pending() < Reaper.MOST_OPEN) {
            reaper.reap("Yet another", TIME_TO_LIVE, CompletableFuture::new);
        }
        assertThat(reaper.dropped()).isZero();
        reap();
        assertThat(asked).isEqualTo(2);
        assertThat(reaper.pending()).isEqualTo(Reaper.MOST_OPEN);
        assertThat(reaper.dropped()).isEqualTo(1);
        ticker.advance(TIME_TO_LIVE.plusSeconds(2));
        assertThat(asked).isEqualTo(2);
        assertSettled();
    }

    @Test
    void ofThoseBeyondTheBoundTheFirstOfEachMinuteIsWarnedOf() {
        while (reaper.pending() < Reaper.MOST_OPEN) {
            reaper.reap("Yet another", Duration.ofHours(1), CompletableFuture::new);
        }
        try (LogCapture log = new LogCapture()) {
            reaper.reap("The first", TIME_TO_LIVE, CompletableFuture::new);
            reaper.reap("The second", TIME_TO_LIVE, CompletableFuture::new);
            ticker.advance(Duration.ofMinutes(1).minusMillis(1));
            // Room for one: that of the test's own attempt.
            reaper.reap("The room", Duration.ofHours(1), CompletableFuture::new);
            reaper.reap("The third", TIME_TO_LIVE, CompletableFuture::new);
            assertThat(log.messages()).singleElement().asString().contains("The first", "as 0 before it");
            ticker.advance(Duration.ofMillis(1));
            reaper.reap("The fourth", TIME_TO_LIVE, CompletableFuture::new);
            assertThat(log.messages()).hasSize(2).last().asString().contains("The fourth", "as 3 before it");
        }
    }

    @Test
    void whenThereIsRoomAgainNewcomersAreFollowedUp() {
        while (reaper.pending() < Reaper.MOST_OPEN) {
            reaper.reap("Yet another", TIME_TO_LIVE, CompletableFuture::new);
        }
        answer.complete(Release.RELEASED);
        ticker.advance(Duration.ofSeconds(5));
        answer = CompletableFuture.completedFuture(Release.UNKNOWN);
        reap();
        ticker.advance(Duration.ofSeconds(1));
        assertThat(asked).isGreaterThan(2);
        assertThat(reaper.dropped()).isZero();
    }

    private void assertCounts(long withdrawn, long absent, long expired) {
        assertThat(reaper.withdrawn()).isEqualTo(withdrawn);
        assertThat(reaper.absent()).isEqualTo(absent);
        assertThat(reaper.expired()).isEqualTo(expired);
    }

    private void assertSettled() {
        assertThat(reaper.pending()).isZero();
        int until = asked;
        ticker.advance(TIME_TO_LIVE);
        assertThat(asked).isEqualTo(until);
        assertThat(scheduler.pending()).isZero();
    }
}
