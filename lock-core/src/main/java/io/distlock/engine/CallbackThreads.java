package io.distlock.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads for foreign code of one client. Code that may block runs on an executor: the application's own or, if it gave
 * none, a thread for each task. The news of a loss has one thread for itself, so that it comes at once whatever the
 * others do; it is there from the beginning, so that it comes even when no thread can be made any more. Thread-safe.
 */
final class CallbackThreads implements Executor {

    private static final Logger log = LoggerFactory.getLogger(CallbackThreads.class);
    private static final int IDLE_SECONDS = 10;

    /** From here on a virtual thread that blocks in a monitor gives its carrier back (JEP 491). */
    private static final int FIRST_JAVA_WITHOUT_PINNING = 24;

    private final ThreadFactory spare = daemons("distlock-refused-");
    private final Executor blocking;
    private final Executor losses;
    private final Runnable onClose;

    /**
     * @param onClose lets the thread for losses end
     */
    CallbackThreads(Executor blocking, Executor losses, Runnable onClose) {
        this.blocking = blocking;
        this.losses = losses;
        this.onClose = onClose;
    }

    /** With the application's executor, and a thread for losses. */
    static CallbackThreads over(Executor blocking) {
        ThreadPoolExecutor losses = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons("distlock-losses-"));
        losses.prestartCoreThread();
        // Not a shutdown: what is told later makes a thread anew.
        return new CallbackThreads(blocking, losses, () -> losses.allowCoreThreadTimeOut(true));
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
        return Executors.newCachedThreadPool(daemons("distlock-callback-"));
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
     * @param refused told what it threw, on a thread of its own or, if none can be made, on the one for losses
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
                tellLoss(instead);
            }
        }
    }

    /** Tells of a loss. Throws nothing. */
    void tellLoss(Runnable news) {
        losses.execute(() -> {
            try {
                news.run();
            } catch (RuntimeException | Error failure) {
                log.error("The news of a loss failed", failure);
            }
        });
    }

    /** What is told afterwards is told nevertheless. */
    void close() {
        onClose.run();
    }
}
