package io.distlock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** A distributed lock as a {@link Lock}: see {@link LockClient#asLock}. Thread-safe. */
public interface LockView extends Lock {

    /** {@link #lock()} with this lease, which is not renewed. A thread that holds the lock keeps the lease it has. */
    void lock(Duration leaseTime);

    /**
     * {@link #tryLock(long, java.util.concurrent.TimeUnit)} with this lease, which is not renewed. A thread that holds the
     * lock keeps the lease it has.
     */
    boolean tryLock(Duration waitTime, Duration leaseTime) throws InterruptedException;

    /** The lock that the calling thread has taken through this view and not unlocked; it may have been lost. */
    Optional<HeldLock> held();

    /** How often the calling thread has to unlock; zero if it does not have the lock. */
    int holdCount();

    /** Whether the calling thread holds the lock at this moment, by the clock. */
    default boolean isHeldByCurrentThread() {
        return held().filter(HeldLock::isHeld).isPresent();
    }

    /** The two views that {@link LockClient#asReadWriteLock} makes. */
    record Pair(LockView readLock, LockView writeLock) implements ReadWriteLock {}
}
