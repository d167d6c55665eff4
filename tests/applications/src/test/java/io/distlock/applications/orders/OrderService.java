package io.distlock.applications.orders;

import static io.distlock.spring.OnNotAcquired.SKIP;

import io.distlock.HeldLock;
import io.distlock.applications.Gate;
import io.distlock.applications.Threads;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class OrderService {

    private final Purchases purchases;
    private final EntityManager entities;
    private final ApplicationEventPublisher events;
    private final Gate gate;

    OrderService(Purchases purchases, EntityManager entities, ApplicationEventPublisher events, Gate gate) {
        this.purchases = purchases;
        this.entities = entities;
        this.events = events;
        this.gate = gate;
    }

    record Shipped(long id) {}

    record Shipment(long id, long token, boolean virtualThread) {}

    @Transactional
    @DistributedLock(name = "orders", key = "#id", waitTime = "1s")
    public Shipment ship(long id) {
        HeldLock lock = LockContext.requireHeld("orders", String.valueOf(id));
        purchases.findById(id).orElseThrow().become("shipped");
        events.publishEvent(new Shipped(id));
        return new Shipment(id, lock.fencingToken().value(), Threads.isVirtual());
    }

    /** Loses updates unless each transaction sees the one before it. */
    @Transactional
    @DistributedLock(name = "orders", key = "#id", waitTime = "30s")
    public int pack(long id) {
        Purchase order = purchases.findById(id).orElseThrow();
        int count = order.parcels() + 1;
        order.pack(count);
        return count;
    }

    @Transactional
    @DistributedLock(name = "orders", key = "#id", leaseTime = "10s")
    public void inspect(long id) throws InterruptedException {
        purchases.findById(id).orElseThrow().become("inspected");
        gate.pass();
    }

    /** What a query under the lock sees, before and after a refresh. */
    @Transactional
    @DistributedLock(name = "orders", key = "#id")
    public List<String> statesUnderTheLock(long id) {
        Purchase order = purchases.findById(id).orElseThrow();
        String loaded = order.state();
        entities.refresh(order);
        return List.of(loaded, order.state());
    }

    @Async
    @DistributedLock(name = "mail", key = "#id")
    public CompletableFuture<Shipment> mail(long id) {
        long token = LockContext.current().fencingToken().value();
        return CompletableFuture.completedFuture(new Shipment(id, token, Threads.isVirtual()));
    }

    @DistributedLock(name = "nightly", waitTime = "0s", onNotAcquired = SKIP, minHoldTime = "1m")
    public Optional<String> nightly() {
        return Optional.of("done");
    }
}
