package io.distlock.spring.context;

import io.distlock.HeldLock;
import io.distlock.LockException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One user's reliance on a {@link Hold}: that of its body, of a call inside it, or of a transaction. Ends once, however
 * often it is told to; says at its end if the lock was lost, whoever gives it back. Thread-safe.
 */
public final class Stay implements AutoCloseable {

    private final Hold hold;
    private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> end = new AtomicReference<>();

    Stay(Hold hold) {
        this.hold = hold;
    }

    public Hold hold() {
        return hold;
    }

    public HeldLock lock() {
        return hold.lock();
    }

    /**
     * Leaves; the last one gives the lock back and waits for the answer.
     *
     * @throws io.distlock.LockLostException if the lock was lost
     */
    @Override
    public void close() {
        CompletableFuture<@Nullable Void> mine = new CompletableFuture<>();
        if (end.compareAndSet(null, mine)) {
            try {
                hold.leave();
                mine.complete(null);
            } catch (LockException | IllegalStateException notHeld) {
                mine.completeExceptionally(notHeld);
                throw notHeld;
            }
        }
    }

    /** As {@link #close()}, without waiting; asked again, answers the same. */
    public CompletionStage<@Nullable Void> closeAsync() {
        CompletableFuture<@Nullable Void> mine = new CompletableFuture<>();
        CompletableFuture<@Nullable Void> earlier = end.compareAndExchange(null, mine);
        if (earlier != null) {
            return earlier;
        }
        hold.leave(telling -> finish(mine, telling));
        return mine;
    }

    private static void finish(CompletableFuture<@Nullable Void> end, Runnable telling) {
        try {
            telling.run();
            end.complete(null);
        } catch (LockException | IllegalStateException notHeld) {
            end.completeExceptionally(notHeld);
        }
    }
}
