package io.distlock.etcd;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Starts the driver's calls on the thread that makes them, which does not block; but for the first call, and the first after
 * a long rest, by which the driver looks up the servers' names, and waits for the answer: that one gets a thread, which ends
 * when it is not needed. Thread-safe.
 */
final class CallStarter extends AbstractExecutorService {

    /** The driver forgets the names after 30 minutes without a call. */
    private static final long REST_NANOS = Duration.ofMinutes(20).toNanos();

    private static final int IDLE_SECONDS = 10;

    private final Ticker ticker = Ticker.system();
    private final ExecutorService names;
    private volatile boolean called;
    private volatile long lastNanos;

    CallStarter() {
        ThreadPoolExecutor one = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), CallStarter::thread);
        one.allowCoreThreadTimeOut(true);
        names = one;
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "distlock-etcd-names");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void execute(Runnable call) {
        long now = ticker.nanos();
        boolean rested = !called || now - lastNanos > REST_NANOS;
        lastNanos = now;
        called = true;
        if (rested) {
            names.execute(call);
        } else {
            call.run();
        }
    }

    @Override
    public void shutdown() {
        names.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return names.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return names.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return names.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return names.awaitTermination(timeout, unit);
    }
}
