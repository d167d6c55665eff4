package io.distlock.integration;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockClient.LockView;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Spring Integration's lock registry on a {@link LockClient}: an application that uses a registry changes this one bean.
 *
 * <p>The locks are re-entrant per thread, and renewed while they are held, unless a call names a time to live. If the store
 * does not answer, locking throws {@link io.distlock.LockUnavailableException}; unlocking a lock that was lost throws {@link
 * io.distlock.LockLostException}. The registry keeps each lock until {@link #expireUnusedOlderThan}.
 *
 * <p>Thread-safe.
 */
public final class DistlockLockRegistry
        implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

    private final LockClient client;
    private final String name;
    private final Ticker ticker;
    private final ConcurrentHashMap<String, RegistryLock> locks = new ConcurrentHashMap<>();

    /**
     * Locks through this client, which the caller closes.
     *
     * @param name the name of all its locks: what is obtained from the registry is an item under it
     */
    public DistlockLockRegistry(LockClient client, String name) {
        this(client, name, Ticker.system());
    }

    DistlockLockRegistry(LockClient client, String name, Ticker ticker) {
        this.client = client;
        this.name = name;
        this.ticker = ticker;
    }

    /**
     * The same lock for equal keys.
     *
     * @param lockKey the text of a key, or something whose {@code toString} is one
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return locks.computeIfAbsent(
                lockKey.toString(), key -> new RegistryLock(key, client.asLock(client.request(name, key))));
    }

    /** As {@link #renewLock(Object, Duration)}, by the time to live with which the lock was taken. */
    @Override
    public void renewLock(Object lockKey) {
        RegistryLock lock = held(lockKey);
        lock.renew(lock.ttl);
    }

    /**
     * Extends the lock that the calling thread holds to this time from now. A lock that is renewed anyway is only checked.
     *
     * @throws IllegalStateException if the calling thread does not hold it
     * @throws io.distlock.LockLostException if it was lost
     * @throws io.distlock.LockUnavailableException if the store did not answer: the lock is held for the rest of its time
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        held(lockKey).renew(ttl);
    }

    private RegistryLock held(Object lockKey) {
        RegistryLock lock = locks.get(lockKey.toString());
        if (lock == null || lock.view.holdCount() == 0) {
            throw new IllegalStateException("lock '" + lockKey + "' is not held by thread "
                    + Thread.currentThread().getName() + ": only its holder can renew it");
        }
        return lock;
    }

    @Override
    public void expireUnusedOlderThan(long age) {
        long now = ticker.nanos();
        locks.keySet()
                .forEach(each -> locks.computeIfPresent(each, (key, lock) -> {
                    boolean isOld = now - lock.usedNanos >= TimeUnit.MILLISECONDS.toNanos(age);
                    return isOld && lock.users.get() == 0 ? null : lock;
                }));
    }

    private interface Attempt<E extends Exception> {
        boolean run(LockView view) throws E;
    }

    private final class RegistryLock implements DistributedLock {

        private final String key;
        private final LockView view;
        /** Locks held, as often as entered, and attempts under way. */
        private final AtomicInteger users = new AtomicInteger();

        private volatile long usedNanos = ticker.nanos();
        /** The time to live that the holder has named; zero if none, as the lock is renewed. */
        private volatile Duration ttl = Duration.ZERO;

        RegistryLock(String key, LockView view) {
            this.key = key;
            this.view = view;
        }

        private <E extends Exception> boolean enter(Duration named, Attempt<E> attempt) throws E {
            // It may have expired since it was obtained, and another been obtained since: they are one lock.
            RegistryLock lock = locks.compute(key, (same, known) -> {
                RegistryLock current = known == null ? this : known;
                current.users.incrementAndGet();
                return current;
            });
            boolean locked = false;
            try {
                locked = attempt.run(lock.view);
                if (locked && lock.view.holdCount() == 1) {
                    lock.ttl = named;
                }
                return locked;
            } finally {
                if (!locked) {
                    lock.left();
                }
            }
        }

        private void left() {
            usedNanos = ticker.nanos();
            users.decrementAndGet();
        }

        @Override
        public void lock() {
            enter(Duration.ZERO, view -> {
                view.lock();
                return true;
            });
        }

        @Override
        public void lock(Duration ttl) {
            enter(ttl, view -> {
                view.lock(ttl);
                return true;
            });
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            enter(Duration.ZERO, view -> {
                view.lockInterruptibly();
                return true;
            });
        }

        @Override
        public boolean tryLock() {
            return enter(Duration.ZERO, LockView::tryLock);
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return enter(Duration.ZERO, view -> view.tryLock(time, unit));
        }

        @Override
        public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
            return enter(ttl, view -> view.tryLock(waitTime, ttl));
        }

        void renew(Duration asked) {
            HeldLock held = view.held().orElseThrow();
            if (ttl.isZero()) {
                held.ensureHeld();
            } else {
                held.extend(asked);
            }
        }

        @Override
        public void unlock() {
            RegistryLock lock = locks.getOrDefault(key, this);
            boolean held = lock.view.holdCount() > 0;
            try {
                lock.view.unlock();
            } finally {
                if (held) {
                    lock.left();
                }
            }
        }

        @Override
        public Condition newCondition() {
            return view.newCondition();
        }

        @Override
        public String toString() {
            return view.toString();
        }
    }
}
