package io.distlock.spring.autoconfigure;

import io.distlock.spring.LockClients;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the lock clients when the context closes: after whatever accepts work (web server, executors, schedulers,
 * message listeners) has stopped, and before any bean is destroyed, so that methods that still hold a lock can
 * finish. Thread-safe.
 *
 * <p>A context that only stops or pauses keeps its locks, since it may restart but a client cannot.
 */
final class LockClientsLifecycle implements SmartLifecycle {

    /** Below the beans that accept work (near the largest phase), above connection factories (at zero). */
    static final int PHASE = 1_000;

    private final LockClients clients;
    private final ConfigurableApplicationContext context;
    private volatile boolean running;

    LockClientsLifecycle(LockClients clients, ConfigurableApplicationContext context) {
        this.clients = clients;
        this.context = context;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        if (context.isClosed()) {
            clients.close();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
