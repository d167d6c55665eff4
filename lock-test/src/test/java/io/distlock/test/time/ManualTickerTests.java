package io.distlock.test.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.support.LockScheduler.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ManualTickerTests {

    private final ManualTicker ticker = new ManualTicker();
    private final long begun = ticker.nanos();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final List<String> ran = new ArrayList<>();

    private Scheduled schedule(ManualScheduler where, String what, int millis) {
        return where.schedule(
                () -> ran.add(what + " at " + (ticker.nanos() - begun) / 1_000_000), Duration.ofMillis(millis));
    }

    private void advance(int millis) {
        ticker.advance(Duration.ofMillis(millis));
    }

    @Test
    void timeStandsStillUntilItIsAdvanced() {
        assertThat(ticker.nanos()).isEqualTo(begun);
        advance(5);
        advance(7);
        assertThat(ticker.nanos() - begun).isEqualTo(12_000_000);
        assertThat(ticker.wallMillis()).isEqualTo(12);
    }

    @Test
    void theWallClockCanBeSteppedAlone() {
        advance(5);
        ticker.stepWallClock(Duration.ofSeconds(1));
        assertThat(ticker.wallMillis()).isEqualTo(1_005);
        ticker.stepWallClock(Duration.ofSeconds(-2));
        assertThat(ticker.wallMillis()).isEqualTo(-995);
        assertThat(ticker.nanos() - begun).isEqualTo(5_000_000);
    }

    @Test
    void tasksRunAtTheirTimesInTheOrderOfThoseTimes() {
        schedule(scheduler, "late", 20);
        schedule(scheduler, "early", 10);
        schedule(scheduler, "same", 20);
        advance(9);
        assertThat(ran).isEmpty();
        advance(11);
        assertThat(ran).containsExactly("early at 10", "late at 20", "same at 20");
    }

    @Test
    void timesAreExactToTheNanosecond() {
        schedule(scheduler, "early", 1);
        scheduler.schedule(() -> ran.add("exact"), Duration.ofNanos(1_500_001));
        ticker.advance(Duration.ofNanos(1_500_000));
        assertThat(ran).containsExactly("early at 1");
        ticker.advance(Duration.ofNanos(1));
        assertThat(ran).containsExactly("early at 1", "exact");
        assertThat(ticker.nanos() - begun).isEqualTo(1_500_001);
        ticker.stepWallClock(Duration.ofNanos(499_998));
        assertThat(ticker.wallMillis()).isEqualTo(1);
        ticker.stepWallClock(Duration.ofNanos(1));
        assertThat(ticker.wallMillis()).isEqualTo(2);
    }

    @Test
    void timeThatATaskAdvancesIsNotTakenBack() {
        scheduler.schedule(() -> advance(100), Duration.ofMillis(10));
        schedule(scheduler, "meanwhile", 20);
        advance(50);
        assertThat(ran).containsExactly("meanwhile at 20");
        assertThat(ticker.nanos() - begun).isEqualTo(110_000_000);
        assertThat(ticker.wallMillis()).isEqualTo(110);
    }

    @Test
    void aTaskIsDueInTheInstantOfItsTime() {
        schedule(scheduler, "task", 10);
        advance(10);
        assertThat(ran).containsExactly("task at 10");
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void delaysCountFromWhenATaskIsScheduled() {
        advance(100);
        schedule(scheduler, "task", 10);
        advance(9);
        assertThat(ran).isEmpty();
        assertThat(scheduler.pending()).isEqualTo(1);
        advance(1);
        assertThat(ran).containsExactly("task at 110");
    }

    @Test
    void whatATaskSchedulesRunsInTheSameAdvanceIfItIsDue() {
        scheduler.schedule(
                () -> {
                    schedule(scheduler, "due", 5);
                    schedule(scheduler, "later", 6);
                },
                Duration.ofMillis(10));
        advance(15);
        assertThat(ran).containsExactly("due at 15");
        assertThat(scheduler.scheduledEver()).isEqualTo(3);
    }

    @Test
    void tasksOfSeveralSchedulersRunInOneOrder() {
        ManualScheduler other = new ManualScheduler(ticker);
        schedule(scheduler, "third", 30);
        schedule(other, "second", 20);
        schedule(other, "first", 10);
        schedule(scheduler, "fourth", 40);
        long before = ticker.nanos();
        advance(50);
        assertThat(ran).containsExactly("first at 10", "second at 20", "third at 30", "fourth at 40");
        assertThat(ticker.nanos() - before).isEqualTo(50_000_000);
    }

    @Test
    void aCancelledTaskDoesNotRun() {
        schedule(scheduler, "kept", 10);
        schedule(scheduler, "cancelled", 10).cancel();
        assertThat(scheduler.pending()).isEqualTo(1);
        advance(10);
        assertThat(ran).containsExactly("kept at 10");
    }

    @Test
    void aClosedSchedulerRunsNothing() {
        schedule(scheduler, "before", 10);
        scheduler.close();
        schedule(scheduler, "after", 10);
        assertThat(scheduler.pending()).isZero();
        advance(10);
        assertThat(ran).isEmpty();
    }

    @Test
    void aRuntimeHasTheTickerAndASchedulerOnIt() {
        ManualScheduler.runtime(ticker).scheduler().schedule(() -> ran.add("ran"), Duration.ofMillis(10));
        assertThat(ManualScheduler.runtime(ticker).ticker()).isSameAs(ticker);
        advance(10);
        assertThat(ran).containsExactly("ran");
    }
}
