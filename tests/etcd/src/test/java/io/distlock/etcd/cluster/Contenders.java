package io.distlock.etcd.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.etcd.TestClient;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Clients that take one lock from each other without end, and keep book of when each of them believed to hold it. */
final class Contenders implements AutoCloseable {

    private static final LockKey KEY = LockKey.of("contended");
    private static final Duration WAIT = Duration.ofSeconds(2);

    /** What a machine that is busy with other things may take on top of a time limit; a client that hangs takes more. */
    private static final Duration SLOW_MACHINE = Duration.ofSeconds(30);

    private final List<Contender> contenders = new ArrayList<>();
    private final HoldLog holds = new HoldLog();
    private final AtomicInteger grants = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger unavailable = new AtomicInteger();
    private final List<String> faults = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch over = new CountDownLatch(1);

    Contenders(List<TestClient> clients) {
        clients.forEach(client -> contenders.add(new Contender(client)));
        contenders.forEach(Thread::start);
    }

    /** How often the lock was granted so far. */
    int grants() {
        return grants.get();
    }

    /** How often it was said that another has the lock. */
    int refusals() {
        return refusals.get();
    }

    /** How often it was said that the store does not answer. */
    int unavailable() {
        return unavailable.get();
    }

    int size() {
        return contenders.size();
    }

    /** Waits until the lock has gone from hand to hand. */
    void awaitProgress(Duration within) {
        int before = grants.get();
        await().atMost(within).until(() -> grants.get() >= before + size());
    }

    /** Waits until the lock has been granted anew; how long that took. */
    Duration awaitGrant(Duration within) {
        long asked = Ticker.system().nanos();
        int before = grants.get();
        await().pollInterval(Duration.ofMillis(10)).atMost(within).until(() -> grants.get() > before);
        return Duration.ofNanos(Ticker.system().nanos() - asked);
    }

    /** Ends all of them. One that hangs is a fault. */
    @Override
    public void close() {
        over.countDown();
        contenders.forEach(Contender::end);
    }

    /** To be asked once they have ended: nobody held beside another, and no call went on long after its deadline. */
    void assertNoViolation() {
        assertThat(faults).isEmpty();
        assertThat(holds.violations()).isEmpty();
    }

    private final class Contender extends Thread {

        private final TestClient client;
        private final Duration limit;

        Contender(TestClient client) {
            super("contender");
            setDaemon(true);
            this.client = client;
            this.limit = WAIT.plus(client.provider.callTimeout()).plus(SLOW_MACHINE);
        }

        @Override
        public void run() {
            try {
                while (over.getCount() > 0) {
                    long asked = Ticker.system().nanos();
                    Optional<HeldLock> granted = ask();
                    noteTime("asking", asked);
                    if (granted.isPresent()) {
                        hold(granted.get());
                    }
                }
            } catch (RuntimeException | InterruptedException unexpected) {
                faults.add("ended by " + unexpected);
            }
        }

        private Optional<HeldLock> ask() {
            try {
                Optional<HeldLock> granted =
                        client.locks.tryAcquire(client.locks.request(KEY).withWaitTime(WAIT));
                (granted.isPresent() ? grants : refusals).incrementAndGet();
                return granted;
            } catch (LockUnavailableException trouble) {
                // To be expected while the store is in trouble.
                unavailable.incrementAndGet();
                return Optional.empty();
            }
        }

        private void hold(HeldLock held) throws InterruptedException {
            long granted = Ticker.system().nanos();
            long until = granted
                    + TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(5, 50));
            long lastHeld = granted;
            long now = granted;
            // The time is taken first: whoever holds afterwards did so then.
            while (held.isHeld() && now - until < 0) {
                lastHeld = now;
                over.await(1, TimeUnit.MILLISECONDS);
                now = Ticker.system().nanos();
            }
            holds.add(held.fencingToken().value(), granted, lastHeld);
            long asked = Ticker.system().nanos();
            held.release();
            noteTime("releasing", asked);
        }

        private void noteTime(String doing, long sinceNanos) {
            Duration took = Duration.ofNanos(Ticker.system().nanos() - sinceNanos);
            if (took.compareTo(limit) > 0) {
                faults.add(doing + " took " + took);
            }
        }

        void end() {
            try {
                // One call to get the lock, and one to give it back.
                join(limit.multipliedBy(2).toMillis());
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
            }
            if (isAlive()) {
                faults.add("hangs at " + List.of(getStackTrace()));
            }
        }
    }
}
