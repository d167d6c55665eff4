package io.distlock.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Watches of the driver's own, each on a stream of its own. The driver takes a broken one up again from where it broke
 * off, which puts it among those that etcd serves only ten times a second; so a broken one is closed instead.
 */
final class JetcdWatches implements Watches {

    private static final WatchOption DELETIONS = WatchOption.builder()
            .withNoPut(true)
            .withCreateNotify(true)
            .withRequireLeader(true)
            .build();

    private final Watch watch;

    JetcdWatches(Client client) {
        this.watch = client.getWatchClient();
    }

    @Override
    public Watched watch(ByteSequence key, Runnable wake) {
        One one = new One(wake);
        try {
            one.opened(watch.watch(key, DELETIONS, one));
        } catch (RuntimeException closed) {
            one.breaks(closed);
        }
        return one;
    }

    @Override
    public void close() {
        // Each waiting acquisition closes its own.
    }

    private static final class One implements Watch.Listener, Watched {

        private final CompletableFuture<Void> standing = new CompletableFuture<>();
        private final Runnable wake;
        private Watch.@Nullable Watcher watcher;
        private boolean closed;

        One(Runnable wake) {
            this.wake = wake;
        }

        void opened(Watch.Watcher opened) {
            boolean close;
            synchronized (this) {
                watcher = opened;
                close = closed;
            }
            if (close) {
                opened.close();
            }
        }

        @Override
        public void onNext(WatchResponse response) {
            if (response.isCreatedNotify()) {
                standing.complete(null);
            }
            if (!response.getEvents().isEmpty()) {
                wake.run();
            }
        }

        @Override
        public void onError(Throwable failure) {
            close();
            breaks(failure);
        }

        /** Whoever waits for it to stand is told by that; whoever relied on it is woken. */
        void breaks(Throwable failure) {
            synchronized (this) {
                closed = true;
            }
            if (!standing.completeExceptionally(failure)) {
                wake.run();
            }
        }

        @Override
        public void onCompleted() {
            boolean unexpected;
            synchronized (this) {
                unexpected = !closed;
                closed = true;
            }
            if (unexpected) {
                breaks(new IllegalStateException("the watch was ended"));
            }
        }

        @Override
        public CompletableFuture<Void> standing() {
            return standing;
        }

        @Override
        public synchronized boolean isLive() {
            return !closed;
        }

        @Override
        public void close() {
            Watch.Watcher toClose;
            synchronized (this) {
                closed = true;
                toClose = watcher;
                watcher = null;
            }
            if (toClose != null) {
                toClose.close();
            }
        }
    }
}
