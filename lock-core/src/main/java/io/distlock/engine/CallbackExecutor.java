package io.distlock.engine;

import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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
 * Runs the user code of one client. Code that may block runs on the application's executor or, without one, on a thread
 * for each task. Losses are announced on their own thread, so that nothing else delays them. It starts with the
 * client, so it exists even when no more threads can be created. Thread-safe.
 */
record CallbackExecutor(Executor blocking, Executor losses, Runnable onClose) implements Executor {

    private static final Logger log = LoggerFactory.getLogger(CallbackExecutor.class);
    private static final int IDLE_SECONDS = 5;

    /** From here on a virtual thread that blocks in a monitor releases its carrier (JEP 491). */
    private static final int FIRST_JAVA_WITHOUT_PINNING = 24;

    /** Uses the application's executor, and a new thread for losses. */
    static CallbackExecutor over(Executor blocking) {
        ThreadPoolExecutor losses = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons("distlock-losses-"));
        losses.prestartCoreThread();
        // Not a shutdown: a later announcement starts a new thread.
        return new CallbackExecutor(blocking, losses, () -> losses.allowCoreThreadTimeOut(true));
    }

    /** A thread for each running task, since tasks may wait for one another. */
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
        // As the JDK's cached pool, whose idle threads would stay for a minute after the client has closed.
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

    /** Runs user code that may block, even if the executor throws. Never throws. */
    @Override
    public void execute(Runnable foreign) {
        execute(foreign, refusal -> {
            log.warn("The callback executor rejected a task; running it on its own thread", refusal);
            foreign.run();
        });
    }

    /**
     * Runs user code that may block. If the executor throws before the code has begun, {@code refused} receives the
     * exception, on its own thread or, if none can be created, as in {@link #executeLoss}.
     */
    void execute(Runnable foreign, Consumer<Throwable> refused) {
        once(blocking, foreign, refusal -> {
            Runnable instead = () -> refused.accept(refusal);
            Executor ownThread =
                    task -> daemons("distlock-refused-").newThread(task).start();
            once(ownThread, instead, noThread -> executeLoss(instead));
        });
    }

    /** Runs an announcement on the loss thread; on this one if no thread can be created after {@link #close}. */
    void executeLoss(Runnable announcement) {
        Runnable logged = () -> {
            try {
                announcement.run();
            } catch (RuntimeException | Error failure) {
                log.error("Reporting a lost lock failed", failure);
            }
        };
        once(losses, logged, noThread -> logged.run());
    }

    /** An executor may also throw after it has begun the task. */
    private static void once(Executor executor, Runnable task, Consumer<Throwable> refused) {
        AtomicBoolean begun = new AtomicBoolean();
        try {
            executor.execute(() -> {
                if (!begun.getAndSet(true)) {
                    task.run();
                }
            });
        } catch (RuntimeException | Error refusal) {
            if (!begun.getAndSet(true)) {
                refused.accept(refusal);
            }
        }
    }

    /**
     * Waits for the announcements so far, but no longer than this: whoever closes the client may next end what hears of
     * them. Later ones still run.
     */
    void close(Duration longest) {
        CompletableFuture<Void> announced = new CompletableFuture<>();
        executeLoss(() -> announced.complete(null));
        Timeouts.await(announced, longest);
        onClose.run();
    }
}
