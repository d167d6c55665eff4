package io.distlock.support;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Limits how many calls are under way to a store at a time, and lets the others wait for their turn: thousands at once, after an
 * outage or from readers that wake together, would all be answered too late, and be repeated. Thread-safe.
 */
public final class CallsInTurn {

    private final Timeouts timeouts;
    private final int most;
    private final Duration limit;
    private final Supplier<? extends RuntimeException> unsent;
    private final Queue<CompletableFuture<Void>> first = new ConcurrentLinkedQueue<>();
    private final Queue<CompletableFuture<Void>> turns = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger serving = new AtomicInteger();

    /**
     * Lets {@code most} calls be under way.
     *
     * @param limit how long a call waits for its turn
     * @param unsent the failure of one that has not had it by then, and is not sent
     */
    public CallsInTurn(Timeouts timeouts, int most, Duration limit, Supplier<? extends RuntimeException> unsent) {
        this.timeouts = timeouts;
        this.most = most;
        this.limit = limit;
        this.unsent = unsent;
    }

    /** After all that wait already. A call's own limit begins with its turn, which ends with its answer. */
    public <T> CompletableFuture<T> last(Supplier<CompletableFuture<T>> call) {
        return in(turns, call);
    }

    /** Before all that were to be the {@link #last}: it lets somebody else have a lock. */
    public <T> CompletableFuture<T> first(Supplier<CompletableFuture<T>> call) {
        return in(first, call);
    }

    private <T> CompletableFuture<T> in(Queue<CompletableFuture<Void>> queue, Supplier<CompletableFuture<T>> call) {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        CompletableFuture<T> answer = turn.thenCompose(now -> started(call).whenComplete((done, failure) -> {
            underWay.decrementAndGet();
            serve();
        }));
        queue.add(turn);
        serve();
        timeouts.within(limit, turn).exceptionally(late -> {
            turn.completeExceptionally(unsent.get());
            return null;
        });
        return answer;
    }

    private static <T> CompletableFuture<T> started(Supplier<CompletableFuture<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException | Error refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** Serves for all: whoever comes meanwhile only counts, so that calls that fail at once do not nest. */
    private void serve() {
        if (serving.getAndIncrement() > 0) {
            return;
        }
        int seen;
        do {
            seen = serving.get();
            while (underWay.get() < most) {
                CompletableFuture<Void> next = first.poll();
                next = next == null ? turns.poll() : next;
                if (next == null) {
                    break;
                }
                underWay.incrementAndGet();
                if (!next.complete(null)) {
                    underWay.decrementAndGet();
                }
            }
        } while (serving.addAndGet(-seen) > 0);
    }
}
