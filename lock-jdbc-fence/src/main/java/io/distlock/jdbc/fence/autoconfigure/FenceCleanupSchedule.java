package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.FenceCleaner;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Runs the cleaner each hour, on a thread of its own, while the application runs. */
final class FenceCleanupSchedule implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(FenceCleanupSchedule.class);

    private static final Duration INTERVAL = Duration.ofHours(1);

    private final FenceCleaner cleaner;
    private final ThreadPoolTaskScheduler scheduler;
    private volatile boolean running;

    FenceCleanupSchedule(FenceCleaner cleaner) {
        this(cleaner, new ThreadPoolTaskScheduler());
    }

    FenceCleanupSchedule(FenceCleaner cleaner, ThreadPoolTaskScheduler scheduler) {
        this.cleaner = cleaner;
        this.scheduler = scheduler;
    }

    @Override
    public void start() {
        scheduler.setThreadNamePrefix("distlock-fence-");
        scheduler.setDaemon(true);
        scheduler.initialize();
        scheduler.scheduleWithFixedDelay(
                this::clean, scheduler.getClock().instant().plus(INTERVAL), INTERVAL);
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        scheduler.shutdown();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    private void clean() {
        try {
            int removed = cleaner.clean();
            log.debug("{} unused rows of the fence were removed", removed);
        } catch (RuntimeException failure) {
            log.warn(
                    "unused rows of the fence could not be removed, the next try is in {}: {}",
                    INTERVAL,
                    failure.toString());
        }
    }
}
