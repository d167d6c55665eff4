package io.distlock.etcd.watch;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One watched key, on any stream. Small, since each held lock has one. As a future, it completes once no further deletion
 * can be missed: with true if none was missed since the revision seen; if false, the caller must look once more. It fails
 * if the watch breaks before that. Thread-safe.
 */
public final class WatchedKey extends CompletableFuture<Boolean> {

    /** Watches nothing. */
    public static final WatchedKey NONE = new WatchedKey(() -> {});

    static {
        NONE.over = true;
    }

    /** The server's number for it, once it is confirmed. */
    volatile long number;

    private final Runnable wake;
    private volatile Consumer<WatchedKey> leave = key -> {};
    private volatile boolean over;

    WatchedKey(Runnable wake) {
        this.wake = wake;
    }

    /** Whether it can be relied on: it is active, has not broken, and was not ended. */
    public boolean isLive() {
        return isDone() && !over;
    }

    /** Never fails, and may be called more than once. */
    public void close() {
        over = true;
        leave.accept(this);
    }

    /** Its server is to be asked for it; {@code leave} ends it there, and may be called more than once. */
    void on(Consumer<WatchedKey> leave) {
        this.leave = leave;
        if (over) {
            leave.accept(this);
        }
    }

    /** The server has confirmed it, and reports what comes after the revision {@code since}. */
    void stands(long since, long seen) {
        // A proxy may not say since when.
        complete(since > 0 && since <= seen);
    }

    void wake() {
        if (!over) {
            wake.run();
        }
    }

    void breakOff(Throwable failure) {
        if (!over) {
            over = true;
            // A failed future makes its caller pause; also waking it would end the pause.
            if (!completeExceptionally(failure)) {
                wake.run();
            }
        }
    }

    /** Whether it was ended or has broken. */
    public boolean isOver() {
        return over;
    }
}
