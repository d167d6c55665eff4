package io.distlock.spring.execution;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * The time that one call may wait for its locks. Each lock's wait time counts from the beginning of the call and not
 * from its own turn: the whole waits no longer than the most patient of them.
 */
final class WaitBudget {

    private final Ticker ticker;
    private final long startedNanos;

    private WaitBudget(Ticker ticker) {
        this.ticker = ticker;
        this.startedNanos = ticker.nanos();
    }

    /**
     * The locks that are still to be taken once the first is there, with what is left of their wait times then. The
     * time runs from now.
     */
    static Supplier<List<LockTask>> afterFirst(List<LockTask> tasks, Supplier<Ticker> ticker) {
        if (tasks.size() == 1) {
            return List::of;
        }
        WaitBudget budget = new WaitBudget(ticker.get());
        return () -> budget.left(tasks.subList(1, tasks.size()));
    }

    private List<LockTask> left(List<LockTask> tasks) {
        Duration waited = Duration.ofNanos(ticker.nanos() - startedNanos);
        return tasks.stream().map(task -> task.waitedFor(waited)).toList();
    }
}
