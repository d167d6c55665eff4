package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockException;
import io.distlock.LockKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Clients that take one lock from each other without end, and see whether anybody else believes to hold it. */
final class Contenders implements AutoCloseable {

    private static final LockKey KEY = LockKey.of("contended");

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<HeldLock> holder = new AtomicReference<>();
    private final AtomicLong lastToken = new AtomicLong();
    private final AtomicInteger grants = new AtomicInteger();
    private final List<String> violations = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean over;

    Contenders(List<TestClient> clients) {
        for (TestClient client : clients) {
            Thread thread = new Thread(() -> contend(client), "contender");
            threads.add(thread);
            thread.start();
        }
    }

    private void contend(TestClient client) {
        while (!over) {
            try {
                client.locks
                        .tryAcquire(client.locks.request(KEY).withWaitTime(Duration.ofSeconds(2)))
                        .ifPresent(this::hold);
            } catch (LockException unavailable) {
                // To be expected while the store is in trouble.
            }
        }
    }

    private void hold(HeldLock held) {
        HeldLock before = holder.getAndSet(held);
        if (before != null && before.isHeld()) {
            violations.add(held + " while " + before);
        }
        long token = held.fencingToken().value();
        long last = lastToken.getAndSet(token);
        if (token <= last) {
            violations.add("token " + token + " after " + last);
        }
        grants.incrementAndGet();
        holder.compareAndSet(held, null);
        held.release();
    }

    /** Waits until the lock has gone from hand to hand. */
    void awaitProgress(Duration within) {
        int before = grants.get();
        await().atMost(within).until(() -> grants.get() >= before + threads.size());
    }

    /** Waits until the lock has been granted anew. */
    void awaitGrant(Duration within) {
        int before = grants.get();
        await().atMost(within).until(() -> grants.get() > before);
    }

    void assertNoViolation() {
        assertThat(violations).isEmpty();
    }

    @Override
    public void close() {
        over = true;
        for (Thread thread : threads) {
            try {
                thread.join(TestClient.PATIENCE.toMillis());
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
