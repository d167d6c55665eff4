package io.distlock.etcd;

import io.etcd.jetcd.ByteSequence;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One key that is watched on a stream. Thread-safe. */
final class WatchedKey implements Watches.Watched {

    private final ByteSequence key;
    private final Runnable wake;
    private final CompletableFuture<Void> standing = new CompletableFuture<>();
    private volatile @Nullable WatchStream stream;
    private volatile boolean over;

    WatchedKey(ByteSequence key, Runnable wake) {
        this.key = key;
        this.wake = wake;
    }

    ByteSequence key() {
        return key;
    }

    void on(WatchStream stream) {
        this.stream = stream;
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
        return !over;
    }

    @Override
    public void close() {
        over = true;
        WatchStream open = stream;
        if (open != null) {
            open.remove(this);
        }
    }
}
