package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.spi.Ticker;
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
    private static final Duration WAIT = Duration.ofSeconds(2);

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<HeldLock> holder = new AtomicReference<>();
    private final AtomicLong lastToken = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();
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
            long asked = Ticker.system().nanos();
            try {
                client.locks
                        .tryAcquire(client.locks.request(KEY).withWaitTime(WAIT))
                        .ifPresent(this::hold);
            } catch (LockException unavailable) {
                // To be expected while the store is in trouble.
            }
            longestNanos.accumulateAndGet(Ticker.system().nanos() - asked, Math::max);
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

    /** Waits until the lock has been granted anew; how long that took. */
    Duration awaitGrant(Duration within) {
        long asked = Ticker.system().nanos();
        int before = grants.get();
        await().pollInterval(Duration.ofMillis(10)).atMost(within).until(() -> grants.get() > before);
        return Duration.ofNanos(Ticker.system().nanos() - asked);
    }

    /** Nobody held beside another, and no call went on long after its deadline. */
    void assertNoViolation() {
        assertThat(violations).isEmpty();
        assertThat(Duration.ofNanos(longestNanos.get())).isLessThan(WAIT.plus(TestClient.PATIENCE));
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
