package io.distlock.spring.autoconfigure;

import io.distlock.spring.LockClients;
import io.distlock.spring.execution.Executions;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Closes the lock clients when the context closes: after whatever accepts work (web server, executors, schedulers,
 * message listeners) has stopped, and before any bean is destroyed, so that methods that still hold a lock can
 * finish. Thread-safe.
 *
 * <p>A context that only stops or pauses keeps its locks, since it may restart but a client cannot.
 */
final class LockClientsLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    /** Below the beans that accept work (near the largest phase), above connection factories (at zero). */
    static final int PHASE = 1_000;

    private final LockClients clients;
    private final ObjectProvider<Executions> executions;
    private final ApplicationContext context;
    private volatile boolean running;
    private volatile boolean closing;

    LockClientsLifecycle(LockClients clients, ObjectProvider<Executions> executions, ApplicationContext context) {
        this.clients = clients;
        this.executions = executions;
        this.context = context;
    }

    /** Called before the lifecycle stops anything, and also for events of child contexts. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) {
            closing = true;
        }
    }

    @Override
    public void start() {
        // Not earlier: the executor is a bean of the application.
        executions.ifAvailable(Executions::requireExecutor);
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        if (closing) {
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
