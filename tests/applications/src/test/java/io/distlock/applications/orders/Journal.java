package io.distlock.applications.orders;

import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.applications.orders.OrderService.Shipped;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;

/** What happened after the body of {@code ship}, in order. */
@Component
class Journal {

    private final LockClient locks;
    private final Purchases purchases;
    private final List<String> entries = new CopyOnWriteArrayList<>();

    Journal(LockClient locks, Purchases purchases) {
        this.locks = locks;
        this.purchases = purchases;
    }

    List<String> entries() {
        return entries;
    }

    @TransactionalEventListener
    void committed(Shipped shipped) {
        boolean held = locks.inspect(LockKey.of("orders", String.valueOf(shipped.id())))
                .isPresent();
        entries.add(shipped.id() + " committed, the lock is " + (held ? "held" : "free"));
    }

    @EventListener
    void released(LockEvent.Released released) {
        released.key()
                .key()
                .ifPresent(id -> purchases
                        .findById(Long.valueOf(id))
                        .ifPresent(order -> entries.add(id + " released, others see it " + order.state())));
    }
}
