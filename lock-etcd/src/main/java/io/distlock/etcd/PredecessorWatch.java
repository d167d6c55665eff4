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
    private WatchedKey watchedAhead = WatchedKey.NONE;
    private WatchedKey watchedSelf = WatchedKey.NONE;

    PredecessorWatch(Watches watches, Runnable wake) {
        this.watches = watches;
        this.wake = wake;
    }

    @Nullable
    ByteSequence ahead() {
        return ahead;
    }

    boolean isOn(ByteSequence key) {
        return key.equals(ahead) && watchedAhead.isLive() && watchedSelf.isLive();
    }

    CompletableFuture<Void> on(ByteSequence key, ByteSequence own) {
        offAhead();
        ahead = key;
        watchedAhead = watches.watch(key, wake);
        if (!watchedSelf.isLive()) {
            watchedSelf.close();
            watchedSelf = watches.watch(own, wake);
        }
        return watchedAhead.standing().thenCombine(watchedSelf.standing(), (one, other) -> null);
    }

    void offAhead() {
        watchedAhead.close();
        ahead = null;
    }

    void close() {
        offAhead();
        watchedSelf.close();
    }
}
