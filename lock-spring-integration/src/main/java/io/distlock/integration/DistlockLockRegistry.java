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

    /** Extends the lock that the calling thread holds by the client's lease time, as {@link #renewLock(Object, Duration)}. */
    @Override
    public void renewLock(Object lockKey) {
        renewLock(lockKey, client.options().leaseTime());
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
        RegistryLock lock = locks.get(lockKey.toString());
        if (lock == null || lock.view.holdCount() == 0) {
            throw new IllegalStateException("lock '" + lockKey + "' is not held by thread "
                    + Thread.currentThread().getName() + ": only its holder can renew it");
        }
        lock.renew(ttl);
    }

    @Override
    public void expireUnusedOlderThan(long age) {
        long now = ticker.nanos();
        locks.values()
                .removeIf(lock -> lock.users.get() == 0 && now - lock.usedNanos >= TimeUnit.MILLISECONDS.toNanos(age));
    }

    private interface Attempt<E extends Exception> {
        boolean run() throws E;
    }

    private final class RegistryLock implements DistributedLock {

        private final String key;
        private final LockView view;
        /** Locks held, as often as entered, and attempts under way. */
        private final AtomicInteger users = new AtomicInteger();

        private volatile long usedNanos = ticker.nanos();
        /** Whether the holder has named a time to live. */
        private volatile boolean timed;

        RegistryLock(String key, LockView view) {
            this.key = key;
            this.view = view;
        }

        private <E extends Exception> boolean enter(boolean withTime, Attempt<E> attempt) throws E {
            users.incrementAndGet();
            // It may have expired since it was obtained: its holder must find it again.
            locks.putIfAbsent(key, this);
            boolean locked = false;
            try {
                locked = attempt.run();
                if (locked && view.holdCount() == 1) {
                    timed = withTime;
                }
                return locked;
            } finally {
                if (!locked) {
                    left();
                }
            }
        }

        private void left() {
            usedNanos = ticker.nanos();
            users.decrementAndGet();
        }

        @Override
        public void lock() {
            enter(false, () -> {
                view.lock();
                return true;
            });
        }

        @Override
        public void lock(Duration ttl) {
            enter(true, () -> {
                view.lock(ttl);
                return true;
            });
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            enter(false, () -> {
                view.lockInterruptibly();
                return true;
            });
        }

        @Override
        public boolean tryLock() {
            return enter(false, view::tryLock);
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return enter(false, () -> view.tryLock(time, unit));
        }

        @Override
        public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
            return enter(true, () -> view.tryLock(waitTime, ttl));
        }

        void renew(Duration ttl) {
            HeldLock held = view.held().orElseThrow();
            if (timed) {
                held.extend(ttl);
            } else {
                held.ensureHeld();
            }
        }

        @Override
        public void unlock() {
            boolean held = view.holdCount() > 0;
            try {
                view.unlock();
            } finally {
                if (held) {
                    left();
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
