package io.distlock.etcd;

import io.etcd.jetcd.ByteSequence;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One key that is watched, on whatever stream. Thread-safe. */
final class WatchedKey implements Watches.Watched {

    private final ByteSequence key;
    private final Runnable wake;
    private final CompletableFuture<Void> standing = new CompletableFuture<>();
    private volatile @Nullable Runnable leave;
    private volatile boolean over;
    private volatile long number = -1;

    WatchedKey(ByteSequence key, Runnable wake) {
        this.key = key;
        this.wake = wake;
    }

    ByteSequence key() {
        return key;
    }

    /**
     * It was asked for.
     *
     * @param leave ends the watch at the server, and may be called more than once
     */
    void on(Runnable leave) {
        this.leave = leave;
        if (over) {
            leave.run();
        }
    }

    /** The server's number for it; none before it stands. */
    long number() {
        return number;
    }

    void number(long given) {
        number = given;
    }

    void stands() {
        standing.complete(null);
    }

    void wake() {
        if (!over) {
            wake.run();
        }
    }

    void breakOff(Throwable failure) {
        if (!over) {
            over = true;
            // Whoever waits for it to stand is told by that, and pauses; to be woken as well would end the pause.
            if (!standing.completeExceptionally(failure)) {
                wake.run();
            }
        }
    }

    boolean isOver() {
        return over;
    }

    @Override
    public CompletableFuture<Void> standing() {
        return standing;
    }

    @Override
    public boolean isLive() {
        return standing.isDone() && !over;
    }

    @Override
    public void close() {
        over = true;
        Runnable known = leave;
        if (known != null) {
            known.run();
        }
    }
}
