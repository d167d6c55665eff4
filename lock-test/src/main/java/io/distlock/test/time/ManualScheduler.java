package io.distlock.test.time;

import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks when their {@link ManualTicker} advances past their time, on the thread that advances it. Counts tasks.
 * Thread-safe.
 */
public final class ManualScheduler implements LockScheduler {

    private final ManualTicker ticker;
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::number));
    private long scheduled;
    private boolean closed;

    private record Task(long at, long number, Runnable action) {}

    public ManualScheduler(ManualTicker ticker) {
        this.ticker = ticker;
        ticker.attach(this);
    }

    /** A runtime with a new scheduler on this ticker. */
    public static LockRuntime runtime(ManualTicker ticker) {
        return new LockRuntime(ticker, new ManualScheduler(ticker));
    }

    @Override
    public synchronized Scheduled schedule(Runnable action, Duration delay) {
        Task task = new Task(ticker.nanos() + delay.toNanos(), ++scheduled, action);
        if (!closed) {
            tasks.add(task);
        }
        return () -> cancel(task);
    }

    private synchronized void cancel(Task task) {
        tasks.remove(task);
    }

    /** How many tasks were ever scheduled. */
    public synchronized long scheduledEver() {
        return scheduled;
    }

    /** How many tasks are not yet due. */
    public synchronized int pending() {
        return tasks.size();
    }

    @Override
    public synchronized void close() {
        closed = true;
        tasks.clear();
    }

    /** When the next task is due; the end of time if there is none. */
    synchronized long nextAt() {
        Task next = tasks.peek();
        return next == null ? Long.MAX_VALUE : next.at();
    }

    /** Advances to the next task that is due by the target, and runs it, if there is one. */
    void runNext(long target) {
        Task next = takeDue(target);
        if (next != null) {
            ticker.moveTo(next.at());
            next.action().run();
        }
    }

    private synchronized @Nullable Task takeDue(long target) {
        Task next = tasks.peek();
        return next != null && next.at() - target <= 0 ? tasks.poll() : null;
    }
}
