package io.distlock.integration;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockClient.LockView;
import io.distlock.LockOptions;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Spring Integration's lock registry on a {@link LockClient}: an application that uses a registry changes this one bean.
 *
 * <p>The locks are re-entrant per thread, and renewed while they are held, unless a call names a time to live. The client's
 * maximum hold time does not end them: a leader may lead for as long as its process runs. If the store does not answer,
 * locking throws {@link io.distlock.LockUnavailableException}; unlocking a lock that was lost throws {@link
 * io.distlock.LockLostException}. The registry keeps no lock that nobody uses.
 *
 * <p>Thread-safe.
 */
public final class DistlockLockRegistry
        implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

    private final LockClient client;
    private final String name;

    /** The locks for which a call named a time to live, and that time. An entry goes with its lock. */
    private final Map<HeldLock, Duration> timesToLive = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * Locks through this client, which the caller closes.
     *
     * @param name the name of all its locks: what is obtained from the registry is an item under it. Registries of one name
     *     lock the same items
     */
    public DistlockLockRegistry(LockClient client, String name) {
        this.client = client;
        this.name = name;
    }

    /**
     * The lock for a key; those for equal keys are one lock.
     *
     * @param lockKey the text of a key, or something whose {@code toString} is one
     * @throws IllegalArgumentException if the text breaks a rule of {@link io.distlock.LockKey}
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return new RegistryLock(view(lockKey));
    }

    private LockView view(Object lockKey) {
        return client.asLock(client.request(name, lockKey.toString()).withMaxHoldTime(LockOptions.MAX_HOLD));
    }

    /** As {@link #renewLock(Object, Duration)}, by the time to live with which the lock was taken. */
    @Override
    public void renewLock(Object lockKey) {
        renew(lockKey, null);
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
        renew(lockKey, ttl);
    }

    private void renew(Object lockKey, @Nullable Duration asked) {
        HeldLock held = view(lockKey)
                .held()
                .orElseThrow(() -> new IllegalStateException("lock '" + lockKey + "' is not held by thread "
                        + Thread.currentThread().getName() + ": only its holder can renew it"));
        Optional.ofNullable(timesToLive.get(held))
                .ifPresentOrElse(taken -> held.extend(asked == null ? taken : asked), held::ensureHeld);
    }

    /** Does nothing: the registry keeps no lock that nobody uses. */
    @Override
    public void expireUnusedOlderThan(long age) {}

    private final class RegistryLock implements DistributedLock {

        private final LockView view;

        RegistryLock(LockView view) {
            this.view = view;
        }

        @Override
        public void lock() {
            view.lock();
        }

        @Override
        public void lock(Duration ttl) {
            view.lock(ttl);
            taken(ttl);
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            view.lockInterruptibly();
        }

        @Override
        public boolean tryLock() {
            return view.tryLock();
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return view.tryLock(time, unit);
        }

        @Override
        public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
            boolean locked = view.tryLock(waitTime, ttl);
            if (locked) {
                taken(ttl);
            }
            return locked;
        }

        /** A thread that enters again keeps the time to live that it has. */
        private void taken(Duration ttl) {
            if (view.holdCount() == 1) {
                timesToLive.put(view.held().orElseThrow(), ttl);
            }
        }

        @Override
        public void unlock() {
            view.unlock();
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
