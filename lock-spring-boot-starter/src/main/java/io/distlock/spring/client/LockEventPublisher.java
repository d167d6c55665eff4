package io.distlock.spring.client;

import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.spring.LockClientCustomizer;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Publishes each {@link LockEvent}, except renewals, to the listeners of the application context, in order and on one
 * dedicated thread, where they may block: the thread of the event may be a driver's, which a listener waiting for a
 * database would block. A slow listener loses events once ten thousand are waiting.
 * Thread-safe.
 */
public final class LockEventPublisher implements LockClientCustomizer, SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(LockEventPublisher.class);
    private static final int MOST_WAITING = 10_000;
    private static final int IDLE_SECONDS = 10;

    /** Stops right after the lock clients, whose last events are those of the locks that are still held. */
    private static final int PHASE = 999;

    private final ConfigurableApplicationContext context;
    private final AtomicBoolean warned = new AtomicBoolean();
    private final ThreadPoolExecutor thread;
    private volatile boolean running;

    public LockEventPublisher(ConfigurableApplicationContext context) {
        this.context = context;
        CustomizableThreadFactory threads = new CustomizableThreadFactory("distlock-events-");
        threads.setDaemon(true);
        this.thread = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_WAITING), threads);
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    public LockClient customize(LockClient client) {
        client.addListener(this::enqueue);
        return client;
    }

    /** Not renewals: they are frequent and require no action. */
    private void enqueue(LockEvent event) {
        if (event instanceof LockEvent.Renewed) {
            return;
        }
        try {
            thread.execute(() -> publish(event));
        } catch (RejectedExecutionException full) {
            if (!thread.isShutdown() && warned.compareAndSet(false, true)) {
                log.warn(
                        "Listeners of lock events are too slow: {} events wait, further ones are dropped",
                        MOST_WAITING);
            }
        }
    }

    private void publish(LockEvent event) {
        try {
            context.publishEvent(event);
        } catch (RuntimeException | Error failure) {
            log.warn("A listener failed on {}", event, failure);
        }
    }

    @Override
    public void start() {
        running = true;
    }

    /** If the context closes, returns once the queued events have been published, or after ten seconds. */
    @Override
    public void stop() {
        if (context.isClosed()) {
            running = false;
            thread.shutdown();
            try {
                thread.awaitTermination(IDLE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
