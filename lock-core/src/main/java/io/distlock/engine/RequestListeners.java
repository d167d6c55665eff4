package io.distlock.engine;

import io.distlock.LockListener;
import io.distlock.LockRequest;
import io.distlock.Release;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Notifies the listeners of one request of its end, and of the end of the lock granted to it. Not with the {@link
 * io.distlock.LockEvent}s, on the store's thread: these listeners may block, and a tracer may know the trace only by the
 * calling thread. Thread-safe.
 */
record RequestListeners(List<LockListener.OfRequest> listeners, Executor callbacks) {

    private static final RequestListeners NOBODY = new RequestListeners(List.of(), Runnable::run);

    /** Allocates nothing if nobody listens. */
    static RequestListeners of(LockRequest request, ClientContext context) {
        if (context.watchers().isEmpty()) {
            return NOBODY;
        }
        List<LockListener.OfRequest> listeners = new ArrayList<>();
        ClientContext.notify(context.watchers(), watcher -> listeners.add(watcher.apply(request)), request);
        return new RequestListeners(listeners, context.callbacks());
    }

    /** The answer as the caller receives it. */
    Optional<EngineLock> answered(Optional<EngineLock> answer) {
        if (listeners.isEmpty()) {
            return answer;
        }
        if (answer.isEmpty()) {
            notify(LockListener.OfRequest::notAcquired);
        }
        return answer.map(held -> {
            WatchedLock watched = new WatchedLock(held, this);
            notify(listener -> listener.granted(watched));
            // Not before: a lock is granted first, then lost.
            watched.watchForLoss();
            return watched;
        });
    }

    <T extends Throwable> T failed(T failure) {
        notify(listener -> listener.failed(failure));
        return failure;
    }

    private void notify(Consumer<LockListener.OfRequest> news) {
        ClientContext.notify(listeners, news, "a request");
    }

    /** Notifies the listeners once of how the lock ends. */
    static final class WatchedLock extends DelegatingHeldLock {

        private final EngineLock granted;
        private final RequestListeners watch;
        private final AtomicBoolean ended = new AtomicBoolean();

        WatchedLock(EngineLock target, RequestListeners watch) {
            super(target);
            this.granted = target;
            this.watch = watch;
        }

        void watchForLoss() {
            target.onLost(loss -> end(listener -> listener.lost(loss)));
        }

        private void end(Consumer<LockListener.OfRequest> news) {
            if (ended.compareAndSet(false, true)) {
                watch.notify(news);
            }
        }

        /** A release that comes too late counts as a loss. */
        private Release released(Release outcome) {
            if (outcome != Release.NOT_OWNER) {
                end(listener -> listener.released(outcome));
            }
            return outcome;
        }

        @Override
        public Release release() {
            return released(target.release());
        }

        @Override
        public CompletionStage<Release> releaseAsync() {
            return granted.startRelease().thenApplyAsync(this::released, watch.callbacks);
        }

        /** Releases first for the outcome; releasing again is harmless. */
        @Override
        public void close() {
            release();
            target.close();
        }
    }
}
