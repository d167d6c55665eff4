package io.distlock.engine;

import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads for foreign code of a client that was given none. Many, because a callback that blocks must not hold up the
 * news of another lock's loss; but not without bound, because a store that is gone takes all locks at once. Beyond the
 * bound tasks wait.
 */
final class CallbackThreads {

    private static final int IDLE_SECONDS = 10;
    private static final int MOST_THREADS = 256;

    private CallbackThreads() {}

    /** Daemon threads, made when needed, that end when idle. */
    static ThreadPoolExecutor pool() {
        AtomicInteger number = new AtomicInteger();
        return new ThreadPoolExecutor(
                0,
                MOST_THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new HandOver(),
                task -> {
                    Thread thread = new Thread(task, "distlock-callback-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                },
                CallbackThreads::enqueue);
    }

    private static void enqueue(Runnable task, ThreadPoolExecutor pool) {
        boolean queued = !pool.isShutdown() && pool.getQueue().add(task);
        // Queued in the moment of the shutdown, it might find no thread any more.
        if (!queued || (pool.isShutdown() && pool.remove(task))) {
            throw new RejectedExecutionException("the lock client is closed");
        }
    }

    /** Takes what an idle thread waits for; the rest is refused, so that the pool makes a thread while it may. */
    private static final class HandOver extends LinkedTransferQueue<Runnable> {

        private static final long serialVersionUID = 1L;

        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }

        @Override
        public boolean add(Runnable task) {
            return super.offer(task);
        }
    }
}
