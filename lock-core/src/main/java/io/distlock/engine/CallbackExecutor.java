package io.distlock.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the foreign code of one client. Code that may block runs on the application's executor or, if it gave none, on a
 * thread for each task. Losses are announced on a thread of their own, so that nothing else delays them; it is started at
 * the beginning, so that they are announced even when no thread can be made any more. Thread-safe.
 */
final class CallbackExecutor implements Executor {

    private static final Logger log = LoggerFactory.getLogger(CallbackExecutor.class);
    private static final int IDLE_SECONDS = 5;

    /** From here on a virtual thread that blocks in a monitor gives its carrier back (JEP 491). */
    private static final int FIRST_JAVA_WITHOUT_PINNING = 24;

    private final ThreadFactory spare = daemons("distlock-refused-");
    private final Executor blocking;
    private final Executor losses;
    private final Runnable onClose;

    /**
     * @param onClose lets the thread for losses end
     */
    CallbackExecutor(Executor blocking, Executor losses, Runnable onClose) {
        this.blocking = blocking;
        this.losses = losses;
        this.onClose = onClose;
    }

    /** With the application's executor, and a thread for losses. */
    static CallbackExecutor over(Executor blocking) {
        ThreadPoolExecutor losses = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons("distlock-losses-"));
        losses.prestartCoreThread();
        // Not a shutdown: a later announcement makes a thread anew.
        return new CallbackExecutor(blocking, losses, () -> losses.allowCoreThreadTimeOut(true));
    }

    /** A thread for each task that is under way: tasks may wait for one another. */
    static Executor own() {
        if (Runtime.version().feature() >= FIRST_JAVA_WITHOUT_PINNING) {
            try {
                return (Executor) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null);
            } catch (ReflectiveOperationException unavailable) {
                log.debug("No virtual threads", unavailable);
            }
        }
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                daemons("distlock-callback-"));
    }

    private static ThreadFactory daemons(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Runs foreign code that may block, whatever the executor throws. Throws nothing. */
    @Override
    public void execute(Runnable foreign) {
        execute(foreign, refusal -> {
            log.warn("The callback executor took no task, which runs on a thread of its own", refusal);
            foreign.run();
        });
    }

    /**
     * The same, or something else if the executor throws before it has begun.
     *
     * @param refused takes what it threw, on a thread of its own or, if none can be made, on the one for losses
     */
    void execute(Runnable foreign, Consumer<Throwable> refused) {
        AtomicBoolean begun = new AtomicBoolean();
        try {
            blocking.execute(() -> {
                if (!begun.getAndSet(true)) {
                    foreign.run();
                }
            });
        } catch (RuntimeException | Error refusal) {
            if (begun.getAndSet(true)) {
                return;
            }
            Runnable instead = () -> refused.accept(refusal);
            try {
                spare.newThread(instead).start();
            } catch (RuntimeException | Error noThread) {
                executeLoss(instead);
            }
        }
    }

    /** Runs an announcement on the thread for losses. Throws only where, after {@link #close}, no thread can be made. */
    void executeLoss(Runnable announcement) {
        losses.execute(() -> {
            try {
                announcement.run();
            } catch (RuntimeException | Error failure) {
                log.error("The news of a loss failed", failure);
            }
        });
    }

    /** Later announcements still run. */
    void close() {
        onClose.run();
    }
}
