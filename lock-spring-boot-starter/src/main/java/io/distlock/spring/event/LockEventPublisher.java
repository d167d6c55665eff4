package io.distlock.spring.event;

import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.spring.LockClientCustomizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.AbstractApplicationContext;

/**
 * Tells listeners of the application context what happens to locks, in order, on one thread of its own: the thread on
 * which it happened may be the driver's, which a listener that waits for a database would stop. Costs nothing where nobody
 * listens. A listener that is too slow loses events, once ten thousand wait for it. Thread-safe.
 */
public final class LockEventPublisher
        implements LockClientCustomizer,
                SmartInitializingSingleton,
                ApplicationListener<ContextRefreshedEvent>,
                DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(LockEventPublisher.class);
    private static final int MOST_WAITING = 10_000;
    private static final int IDLE_SECONDS = 10;

    private final ApplicationContext context;
    private final AtomicBoolean warned = new AtomicBoolean();
    private final ThreadPoolExecutor thread;
    // Those that are not listened to. Guarded by this object's monitor.
    private final List<LockClient> clients = new ArrayList<>();
    private volatile Set<Class<?>> wanted = Set.of();

    public LockEventPublisher(ApplicationContext context) {
        this.context = context;
        this.thread = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_WAITING), task -> {
                    Thread made = new Thread(task, "distlock-events");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    public synchronized LockClient customize(LockClient client) {
        clients.add(client);
        follow();
        return client;
    }

    /** Listeners that are annotated methods are known by now. */
    @Override
    public void afterSingletonsInstantiated() {
        lookAround();
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        lookAround();
    }

    private void lookAround() {
        announce(
                context instanceof AbstractApplicationContext known
                        ? Audience.wanted(known.getApplicationListeners())
                        : Set.copyOf(Announcements.KINDS));
    }

    private synchronized void announce(Set<Class<?>> kinds) {
        wanted = kinds;
        follow();
    }

    /** From the first listener on; the clients make no events where there is none. */
    private void follow() {
        if (!wanted.isEmpty()) {
            clients.forEach(client -> client.addListener(event -> publish(client.provider(), event)));
            clients.clear();
        }
    }

    private void publish(String provider, LockEvent event) {
        Announcements.of(provider, event)
                .filter(announced -> wanted.contains(announced.getClass()))
                .ifPresent(this::enqueue);
    }

    private void enqueue(Object announced) {
        try {
            thread.execute(() -> announce(announced));
        } catch (RejectedExecutionException full) {
            if (!thread.isShutdown() && warned.compareAndSet(false, true)) {
                log.warn(
                        "Listeners of lock events are too slow: {} events wait, further ones are dropped",
                        MOST_WAITING);
            }
        }
    }

    private void announce(Object announced) {
        try {
            context.publishEvent(announced);
        } catch (RuntimeException | Error failure) {
            log.warn("A listener failed on {}", announced, failure);
        }
    }

    /** What waits is told still. */
    @Override
    public void destroy() {
        thread.shutdown();
    }

    /** After {@link #destroy()}: returns once all that waited has been told. */
    void awaitEnd() throws InterruptedException {
        thread.awaitTermination(IDLE_SECONDS, TimeUnit.SECONDS);
    }
}
