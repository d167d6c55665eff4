package io.distlock.etcd.watch;

import io.etcd.jetcd.ByteSequence;

/** Watches that stand at once and never report anything. */
public final class SilentWatches implements Watches {

    @Override
    public WatchedKey watch(ByteSequence key, Runnable wake) {
        WatchedKey watched = new WatchedKey(key, wake);
        watched.stands();
        return watched;
    }

    @Override
    public void close() {}
}
