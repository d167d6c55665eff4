package io.distlock.etcd;

import io.distlock.etcd.watch.Watches;
import io.distlock.etcd.watch.Watches.WatchedKey;
import io.etcd.jetcd.ByteSequence;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The watches of a waiting acquisition: on the key ahead of it, and on its own. Used by one step at a time. They only wake
 * it: {@link EtcdAcquisition} then checks in a transaction whether its turn has come.
 */
final class PredecessorWatch {

    private final Watches watches;
    private final Runnable wake;
    private @Nullable ByteSequence ahead;
    private @Nullable WatchedKey watchedAhead;
    private @Nullable WatchedKey watchedSelf;

    PredecessorWatch(Watches watches, Runnable wake) {
        this.watches = watches;
        this.wake = wake;
    }

    /** The watched key ahead, if any. */
    @Nullable
    ByteSequence ahead() {
        return ahead;
    }

    /** Whether both are live and this is the key ahead. */
    boolean isOn(ByteSequence key) {
        return key.equals(ahead) && isLive(watchedAhead) && isLive(watchedSelf);
    }

    private static boolean isLive(@Nullable WatchedKey watched) {
        return watched != null && watched.isLive();
    }

    /** Starts both watches; completes once active. */
    CompletableFuture<Void> on(ByteSequence key, ByteSequence own) {
        offAhead();
        ahead = key;
        WatchedKey nextAhead = watches.watch(key, wake);
        watchedAhead = nextAhead;
        WatchedKey self = watchedSelf;
        if (self == null || !self.isLive()) {
            WatchedKey.closeIfAny(self);
            self = watches.watch(own, wake);
            watchedSelf = self;
        }
        return nextAhead.standing().thenCombine(self.standing(), (one, other) -> null);
    }

    /** The key ahead is gone. */
    void offAhead() {
        WatchedKey.closeIfAny(watchedAhead);
        ahead = null;
        watchedAhead = null;
    }

    void close() {
        offAhead();
        WatchedKey.closeIfAny(watchedSelf);
        watchedSelf = null;
    }
}
