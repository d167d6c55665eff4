package io.distlock.etcd;

import io.distlock.etcd.watch.Watches;
import io.distlock.etcd.watch.Watches.WatchedKey;
import io.etcd.jetcd.ByteSequence;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What one acquisition watches while it waits: the key ahead of it, and its own. Used by one step at a time; only the
 * closing at the end may happen beside it.
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

    /** The key that is watched as the one ahead, if there is one. */
    @Nullable
    ByteSequence ahead() {
        return ahead;
    }

    /** Whether both are watched, and this is the one ahead. */
    boolean isOn(ByteSequence key) {
        return key.equals(ahead) && isLive(watchedAhead) && isLive(watchedSelf);
    }

    private static boolean isLive(@Nullable WatchedKey watched) {
        return watched != null && watched.isLive();
    }

    /** Begins to watch; done once both watches stand. */
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

    /** The one ahead has gone. */
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
