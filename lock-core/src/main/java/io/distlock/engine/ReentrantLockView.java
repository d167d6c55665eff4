package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * A lock of any client as a {@link Lock}, re-entrant per thread; the starter decides how annotated methods nest.
 * Thread-safe.
 */
public final class ReentrantLockView implements Lock {

    private final LockClient client;
    private final LockRequest request;

    @SuppressWarnings("ThreadLocalUsage") // each view has its own holders, like each ReentrantLock
    private final ThreadLocal<@Nullable Hold> holds = new ThreadLocal<>();

    private static final class Hold {

        private final HeldLock lock;
        private int count = 1;

        Hold(HeldLock lock) {
            this.lock = lock;
        }
    }

    private ReentrantLockView(LockClient client, LockRequest request) {
        this.client = client;
        this.request = request;
    }

    /** Implements {@link LockClient#asLock} with the client's other methods, for delegating clients. */
    public static Lock of(LockClient client, LockRequest request) {
        return new ReentrantLockView(client, request);
    }

    /** Waits forever and ignores interrupts (flag kept). Throws if the store does not answer. */
    @Override
    public void lock() {
        while (!uninterruptibly(LockOptions.MAX_WAIT)) {
            // Waits once more.
        }
    }

    private boolean uninterruptibly(Duration waitTime) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return tryLock(waitTime.toNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException interrupt) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        while (!tryLock(LockOptions.MAX_WAIT.toNanos(), TimeUnit.NANOSECONDS)) {
            // After a week it waits once more, at the end of the queue.
        }
    }

    /** One attempt, which ignores interrupts, as the interface requires. */
    @Override
    public boolean tryLock() {
        return uninterruptibly(Duration.ZERO);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long nanos = Math.min(Math.max(0, unit.toNanos(time)), LockOptions.MAX_WAIT.toNanos());
        try {
            return reenter() || enter(Duration.ofNanos(nanos));
        } catch (LockInterruptedException interrupt) {
            // The interface declares the exception, which by convention clears the flag.
            Thread.interrupted();
            InterruptedException rethrown = new InterruptedException(interrupt.getMessage());
            rethrown.initCause(interrupt);
            throw rethrown;
        }
    }

    /** A lost lock is not re-entered: the holder learns of the loss here at the latest. */
    private boolean reenter() {
        Hold hold = holds.get();
        if (hold == null) {
            return false;
        }
        hold.lock.ensureHeld();
        hold.count++;
        return true;
    }

    private boolean enter(Duration waitTime) {
        Optional<HeldLock> lock = client.tryAcquire(request.withWaitTime(waitTime));
        lock.ifPresent(held -> holds.set(new Hold(held)));
        return lock.isPresent();
    }

    @Override
    public void unlock() {
        Hold hold = holds.get();
        if (hold == null) {
            throw new IllegalMonitorStateException("lock " + request.keys() + " is not held by thread "
                    + Thread.currentThread().getName());
        }
        if (--hold.count == 0) {
            holds.remove();
            hold.lock.close();
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(
                "a distributed lock has no conditions: a signal would not reach other processes. "
                        + "Use a queue or a topic of your store for that.");
    }

    @Override
    public String toString() {
        return "Lock" + request.keys();
    }
}
