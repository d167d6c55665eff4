package io.distlock.spring.execution;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock that one call needs, and how to take it.
 *
 * @param client the client to ask
 * @param request what to ask for
 * @param interruptOnLoss whether a loss interrupts the body, or leaves it running
 * @param notAcquired what the caller gets if the lock is not acquired
 */
public record LockTask(
        LockClient client, LockRequest request, boolean interruptOnLoss, NotAcquiredHandler notAcquired) {

    /** With the rest of the wait time; one attempt if nothing is left of it. */
    LockTask waitedFor(Duration time) {
        Duration left = request.options().waitTime().minus(time);
        return new LockTask(
                client, request.withWaitTime(left.isNegative() ? Duration.ZERO : left), interruptOnLoss, notAcquired);
    }

    String provider() {
        return client.provider();
    }

    /**
     * The keys of a name: one for a scalar, one for each element of a collection or an array.
     *
     * @throws IllegalArgumentException if there is nothing to lock or it has no text, with the reason and the cure
     */
    public static List<LockKey> keys(String name, @Nullable Object value) {
        return KeyConverter.texts(value).stream()
                .map(text -> LockKey.of(name, text))
                .toList();
    }

    /**
     * The same locks in the order in which every call takes them; each key once, exclusively if one of them wants it
     * so.
     */
    public static List<LockTask> ordered(List<LockTask> tasks) {
        return LockOrder.of(tasks);
    }

    /** The tasks after the first, with what is left of their wait times when this is asked. The time runs from now. */
    static Supplier<List<LockTask>> afterFirst(List<LockTask> tasks, Supplier<Ticker> ticker) {
        if (tasks.size() == 1) {
            return List::of;
        }
        WaitBudget budget = new WaitBudget(ticker.get());
        return () -> budget.left(tasks.subList(1, tasks.size()));
    }

    /**
     * The time that one call may wait for its locks. Each wait time counts from the beginning of the call, so that the
     * call waits no longer than the longest of them.
     */
    private static final class WaitBudget {

        private final Ticker ticker;
        private final long startedNanos;

        private WaitBudget(Ticker ticker) {
            this.ticker = ticker;
            this.startedNanos = ticker.nanos();
        }

        List<LockTask> left(List<LockTask> tasks) {
            Duration waited = Duration.ofNanos(ticker.nanos() - startedNanos);
            return tasks.stream().map(task -> task.waitedFor(waited)).toList();
        }
    }
}
