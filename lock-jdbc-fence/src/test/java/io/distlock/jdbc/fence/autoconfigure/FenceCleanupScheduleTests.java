package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.jdbc.fence.Database;
import io.distlock.jdbc.fence.FenceCleaner;
import io.distlock.jdbc.fence.FenceTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** When a fence is cleaned; the runs are begun by the test. */
@ExtendWith(OutputCaptureExtension.class)
class FenceCleanupScheduleTests {

    private record Planned(Runnable run, Duration first, Duration pause) {}

    private final Set<Thread> before = allThreads().collect(Collectors.toSet());
    private final Database database = Database.h2();
    private final List<Planned> planned = new ArrayList<>();
    private final FenceCleanupSchedule schedule = new FenceCleanupSchedule(
            new FenceCleaner(
                    database.dataSource(), new FenceTable(FenceTable.DEFAULT_NAME, "lock"), Duration.ofDays(7)),
            new ThreadPoolTaskScheduler() {

                @Override
                public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant start, Duration delay) {
                    Duration first = Duration.between(getClock().instant(), start);
                    planned.add(new Planned(task, first, delay));
                    return super.scheduleWithFixedDelay(task, start, delay);
                }
            });

    @AfterEach
    void close() {
        schedule.stop();
        database.close();
    }

    /** Those of contexts that have just been closed may still end. */
    private Stream<Thread> threads() {
        return allThreads().filter(each -> !before.contains(each));
    }

    private static Stream<Thread> allThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("distlock-fence-"));
    }

    private List<String> rows() {
        return database.jdbc().queryForList("select lock_key from distributed_lock_fence", String.class);
    }

    @Test
    void unusedRowsAreRemovedHourAfterHourThoughARunFails(CapturedOutput output) {
        schedule.start();
        assertThat(planned).singleElement().satisfies(run -> {
            assertThat(run.first()).isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
            assertThat(run.pause()).isEqualTo(Duration.ofHours(1));
        });
        database.jdbc().execute("alter table distributed_lock_fence rename to elsewhere");
        planned.get(0).run().run();
        assertThat(output).contains("unused rows of the fence could not be removed, the next try is in PT1H");
        database.jdbc().execute("alter table elsewhere rename to distributed_lock_fence");
        database.jdbc().update("insert into distributed_lock_fence values ('old', 1, 'redis:lock', date '2020-02-02')");
        planned.get(0).run().run();
        assertThat(rows()).contains("{floor}redis:lock");
    }

    @Test
    void itsThreadKeepsNoProcessAndEndsWithTheApplication() {
        assertThat(schedule.isRunning()).isFalse();
        schedule.start();
        assertThat(schedule.isRunning()).isTrue();
        assertThat(threads())
                .singleElement()
                .satisfies(thread -> assertThat(thread.isDaemon()).isTrue());
        schedule.stop();
        assertThat(schedule.isRunning()).isFalse();
        await().until(() -> threads().findAny().isEmpty());
    }
}
