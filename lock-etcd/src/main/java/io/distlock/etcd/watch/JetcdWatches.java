package io.distlock.etcd.watch;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The driver's own watches, each on its own stream, since the channel of an application's client is inaccessible. The driver
 * resumes a broken watch from the revision where it broke, among those that etcd serves only ten times a second; so it is
 * closed instead. Thread-safe.
 */
public final class JetcdWatches implements Watches {

    private static final WatchOption DELETIONS = WatchOption.builder()
            .withNoPut(true)
            .withCreateNotify(true)
            .withRequireLeader(true)
            .build();

    private final Watch watch;
    private final Set<WatchedKey> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public JetcdWatches(Client client) {
        this.watch = client.getWatchClient();
    }

    @Override
    public WatchedKey watch(ByteSequence key, long seen, Runnable wake) {
        WatchedKey watched = new WatchedKey(wake);
        if (closed) {
            watched.breakOff(providerClosed());
            return watched;
        }
        try {
            Watch.Watcher begun = watch.watch(key, DELETIONS, listener(watched, seen));
            open.add(watched);
            watched.on(left -> {
                open.remove(watched);
                begun.close();
            });
            if (closed) {
                end(watched, providerClosed());
            }
        } catch (RuntimeException failure) {
            watched.breakOff(failure);
        }
        return watched;
    }

    @Override
    public void close() {
        closed = true;
        open.forEach(WatchedKey::close);
    }

    private static RuntimeException providerClosed() {
        return new IllegalStateException("the provider is closed");
    }

    private static Watch.Listener listener(WatchedKey key, long seen) {
        return Watch.listener(
                response -> {
                    if (response.isCreatedNotify()) {
                        key.stands(response.getHeader().getRevision(), seen);
                    }
                    if (!response.getEvents().isEmpty()) {
                        key.wake();
                    }
                },
                failure -> end(key, failure),
                () -> key.breakOff(new IllegalStateException("the watch was ended")));
    }

    private static void end(WatchedKey key, Throwable reason) {
        key.breakOff(reason);
        key.close();
    }
}
