package io.distlock.etcd;

import io.distlock.etcd.watch.Watches;
import io.distlock.etcd.watch.Watches.WatchedKey;
import io.etcd.jetcd.ByteSequence;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The watches of a waiting acquisition: on the key ahead of it, and after a while on its own. Used by one step at a time. They only wake
 * it: {@link EtcdAcquisition} then checks in a transaction whether its turn has come.
 */
final class PredecessorWatch {

    private final Watches watches;
    private final Runnable wake;
    private @Nullable ByteSequence ahead;
    private WatchedKey watchedAhead = WatchedKey.NONE;
    private WatchedKey watchedOwn = WatchedKey.NONE;

    PredecessorWatch(Watches watches, Runnable wake) {
        this.watches = watches;
        this.wake = wake;
    }

    @Nullable
    ByteSequence ahead() {
        return ahead;
    }

    boolean isOn(ByteSequence key) {
        return key.equals(ahead) && watchedAhead.isLive();
    }

    boolean isOnOwn() {
        return watchedOwn.isLive();
    }

    /**
     * Completes with true if nothing has happened to it since that revision.
     */
    CompletableFuture<Boolean> on(ByteSequence key, long seen) {
        offAhead();
        ahead = key;
        watchedAhead = watches.watch(key, seen, wake);
        return watchedAhead;
    }

    /** As {@link #on}. */
    CompletableFuture<Boolean> onOwn(ByteSequence key, long seen) {
        watchedOwn.close();
        watchedOwn = watches.watch(key, seen, wake);
        return watchedOwn;
    }

    void offAhead() {
        watchedAhead.close();
        ahead = null;
    }

    void close() {
        offAhead();
        watchedOwn.close();
    }
}
