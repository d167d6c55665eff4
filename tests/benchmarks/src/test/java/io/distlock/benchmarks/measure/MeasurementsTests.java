package io.distlock.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.benchmarks.redis.RedisStore;
import io.distlock.benchmarks.store.Store;
import org.assertj.core.api.MapAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Each measurement in its smallest form: the counts, which are the same everywhere, and that there is a figure. */
class MeasurementsTests {

    static Store store;

    @BeforeAll
    static void start() {
        store = RedisStore.start();
    }

    @AfterAll
    static void stop() {
        store.close();
    }

    @Test
    void anUncontendedCycleIsTwoCommandsTwoRoundTripsAndNoThread() {
        assertFigures(new UncontendedCycle())
                .containsEntry("client commands per cycle", 2.0)
                // Those that scripts call, too.
                .hasEntrySatisfying(
                        "commands that the servers ran per cycle, bare Lettuce",
                        commands -> assertThat(commands).isBetween(4.0, 20.0))
                .containsEntry("round trips on the caller's path", 2.0)
                .containsEntry("threads started in 2,000 cycles", 0.0)
                .hasEntrySatisfying(
                        "timers set per 1,000 cycles",
                        timers -> assertThat(timers).isLessThan(20))
                .hasEntrySatisfying(
                        "p50 relative to bare Lettuce, distlock",
                        ratio -> assertThat(ratio).isPositive());
    }

    @Test
    void aStartIsMeasuredWithLocksAndWithout() {
        assertFigures(new StartUp())
                .hasEntrySatisfying(
                        "CPU of a start with locks",
                        seconds -> assertThat(seconds).isPositive())
                .hasEntrySatisfying(
                        "CPU of a start without", seconds -> assertThat(seconds).isPositive())
                // In one start of each kind, chance is larger than what the locks add to the processor time.
                .hasEntrySatisfying(
                        "classes added to a start",
                        classes -> assertThat(classes).isPositive());
    }

    @Test
    void parallelCyclesAreComparedInThroughputAndProcessorTime() {
        assertFigures(new ParallelCycles())
                .hasEntrySatisfying(
                        "throughput relative to bare Lettuce, distlock",
                        ratio -> assertThat(ratio).isPositive())
                .hasEntrySatisfying(
                        "CPU per cycle relative to bare Lettuce, distlock",
                        ratio -> assertThat(ratio).isPositive());
    }

    @Test
    void locksThatAreHeldAreRenewedInBatchesByOneThreadAndNotLost() {
        assertFigures(new ManyHeld())
                .hasEntrySatisfying(
                        "client commands per second", rate -> assertThat(rate).isBetween(0.5, 60.0))
                .hasEntrySatisfying(
                        "client commands per second after 400 short cycles",
                        rate -> assertThat(rate).isBetween(0.5, 60.0))
                .containsEntry("locks lost", 0.0)
                .containsEntry("locks lost after 400 short cycles", 0.0)
                .containsEntry("scheduler threads", 1.0)
                .containsEntry("threads started meanwhile", 0.0);
    }

    @Test
    void waitersCostHardlyACommandAndNoThreads() {
        assertFigures(new ManyWaiters())
                // One asks for all now and then; if each did, it would be forty and more.
                .hasEntrySatisfying(
                        "client commands per second", rate -> assertThat(rate).isLessThan(20))
                // None of them has one; but the JVM may start a thread of its own in between.
                .hasEntrySatisfying(
                        "threads started for them",
                        threads -> assertThat(threads).isLessThan(5))
                .containsEntry("waiters served in the end", 200.0);
    }

    @Test
    void aLockIsHandedOverToAnotherJvm() {
        assertFigures(new HandOver())
                .containsEntry("clock readings of the other JVM out of order", 0.0)
                .hasEntrySatisfying(
                        "round trips for a hand-over, after 2 ms",
                        count -> assertThat(count).isPositive());
    }

    @Test
    void theLockOfAKilledHolderIsHadOnceItsTimeToLiveIsOver() {
        // Redis counts in milliseconds, and its answer to "how long yet" is some under way.
        assertFigures(new KilledHolder())
                .hasEntrySatisfying(
                        "had later than that by, worst",
                        late -> assertThat(late).isGreaterThan(-10));
    }

    @Test
    void aRoleIsTakenOverAfterAResignation() {
        assertFigures(new TakeOver())
                .containsEntry("changes of leader with a larger term", 3.0)
                .hasEntrySatisfying(
                        "until another leads, median",
                        millis -> assertThat(millis).isPositive());
    }

    @Test
    void permitsAreComparedWithALock() {
        assertFigures(new PermitThroughput())
                .hasEntrySatisfying(
                        "3 × one lock's throughput by that of permits, work of 5 ms",
                        ratio -> assertThat(ratio).isPositive());
    }

    @Test
    void whatAnAnnotationCostsIsShown() {
        assertFigures(new AnnotatedCall())
                .hasEntrySatisfying(
                        "allocated by the annotation",
                        bytes -> assertThat(bytes).isPositive())
                .containsKeys("for scale: a bare call", "for scale: @Cacheable, already there");
    }

    @Test
    void whatMetricsCostIsShown() {
        assertFigures(new MeasuredCall())
                .hasEntrySatisfying(
                        "a cycle without metrics", micros -> assertThat(micros).isPositive())
                .containsKeys("a cycle with metrics", "metrics add", "allocated by metrics");
    }

    private static MapAssert<String, Double> assertFigures(Measurement measurement) {
        return TinyRun.assertFigures(measurement, store);
    }
}
