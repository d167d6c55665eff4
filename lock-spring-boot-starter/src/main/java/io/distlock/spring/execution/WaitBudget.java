package io.distlock.spring.execution;

import io.distlock.spi.Ticker;
import io.distlock.spring.context.CallContext;
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
     * What is left to do once the first of the locks is there: the body, under the others if there are any. The time
     * runs from now.
     */
    static CallContext.Body afterFirst(
            List<LockTask> tasks, Supplier<Ticker> ticker, Execution execution, CallContext.Body body) {
        if (tasks.size() == 1) {
            return body;
        }
        WaitBudget budget = new WaitBudget(ticker.get());
        return () -> execution.run(budget.left(tasks.subList(1, tasks.size())), body);
    }

    private List<LockTask> left(List<LockTask> tasks) {
        Duration waited = Duration.ofNanos(ticker.nanos() - startedNanos);
        return tasks.stream().map(task -> task.waitedFor(waited)).toList();
    }
}
