package io.distlock.engine;

import io.distlock.LockEvent;
import io.distlock.LockListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of one client. A listener that throws harms neither the lock nor the next listener. */
final class Listeners {

    private static final Logger log = LoggerFactory.getLogger(Listeners.class);

    private final List<LockListener> listeners = new CopyOnWriteArrayList<>();

    void add(LockListener listener) {
        listeners.add(listener);
    }

    void remove(LockListener listener) {
        listeners.remove(listener);
    }

    /** The event is made only if somebody listens. */
    void publish(Supplier<? extends LockEvent> event) {
        if (!listeners.isEmpty()) {
            tell(event.get());
        }
    }

    private void tell(LockEvent event) {
        for (LockListener listener : listeners) {
            try {
                listener.onEvent(event);
            } catch (RuntimeException | Error failure) {
                log.warn("Lock listener {} failed on {}", listener, event, failure);
            }
        }
    }
}
