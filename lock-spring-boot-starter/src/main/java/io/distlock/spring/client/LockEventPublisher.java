package io.distlock.spring.client;

import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.spring.LockClientCustomizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Publishes each {@link LockEvent}, except renewals, to the listeners of the application context, in order and on one
 * dedicated thread, where they may block: the thread of the event may be a driver's, which a listener waiting for a
 * database would block. Costs nothing without listeners. A slow listener loses events once ten thousand are waiting.
 * Thread-safe.
 */
public final class LockEventPublisher implements LockClientCustomizer, SmartInitializingSingleton, SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(LockEventPublisher.class);
    private static final int MOST_WAITING = 10_000;
    private static final int IDLE_SECONDS = 10;

    /** Stops right after the lock clients, whose last events are those of the locks that are still held. */
    private static final int PHASE = 999;

    static final List<Class<? extends LockEvent>> EVENT_TYPES = List.of(
            LockEvent.Acquired.class,
            LockEvent.NotAcquired.class,
            LockEvent.Failed.class,
            LockEvent.Released.class,
            LockEvent.Lost.class);

    /** A listener that accepts this type accepts any event, not lock events in particular. */
    private record Unrelated() {}

    private final ConfigurableApplicationContext context;
    private final AtomicBoolean warned = new AtomicBoolean();
    private final ThreadPoolExecutor thread;
    // Both guarded by this object's monitor. Clients without a listener of ours.
    private final List<LockClient> clients = new ArrayList<>();
    private boolean wanted;
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
    public synchronized LockClient customize(LockClient client) {
        clients.add(client);
        listen();
        return client;
    }

    /** Annotated listener methods are known by now. */
    @Override
    public void afterSingletonsInstantiated() {
        findListeners();
    }

    /** Looks again, for listeners that were registered since. */
    @Override
    public void start() {
        findListeners();
        running = true;
    }

    /** In the parent contexts too: an event of this one is published there as well. */
    private void findListeners() {
        boolean found = Stream.iterate(context, Objects::nonNull, ApplicationContext::getParent)
                .anyMatch(LockEventPublisher::isHeardIn);
        synchronized (this) {
            wanted = found;
            listen();
        }
    }

    private static boolean isHeardIn(ApplicationContext context) {
        return !(context instanceof AbstractApplicationContext known)
                || known.getApplicationListeners().stream().anyMatch(LockEventPublisher::wantsLockEvents)
                || hasListenerBean(context);
    }

    /** By the type alone: a lazy bean is not created before its first event. */
    private static boolean hasListenerBean(ApplicationContext context) {
        return Stream.of(context.getBeanNamesForType(ApplicationListener.class, true, false))
                .anyMatch(name -> Stream.concat(Stream.of(LockEvent.class), EVENT_TYPES.stream())
                        .map(type -> ResolvableType.forClassWithGenerics(ApplicationListener.class, eventOf(type)))
                        .anyMatch(type -> context.isTypeMatch(name, type)));
    }

    private static boolean wantsLockEvents(ApplicationListener<?> listener) {
        GenericApplicationListener generic = listener instanceof GenericApplicationListener known
                ? known
                : new GenericApplicationListenerAdapter(listener);
        return !generic.supportsEventType(eventOf(Unrelated.class))
                && EVENT_TYPES.stream().anyMatch(type -> generic.supportsEventType(eventOf(type)));
    }

    private static ResolvableType eventOf(Class<?> payload) {
        return ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, payload);
    }

    /** Only if there is a listener: a client without one emits no events. */
    private void listen() {
        if (wanted) {
            clients.forEach(client -> client.addListener(this::enqueue));
            clients.clear();
        }
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
