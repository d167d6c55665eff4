package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockClient.LockView;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A lock of any client, re-entrant per thread through any view of its keys and mode, as if there were one view. The starter
 * decides how annotated methods nest. Thread-safe.
 */
final class DefaultLockView implements LockView {

    /** How many locks a thread may have when those that it has lost, and knows it, are forgotten. */
    static final int MOST_LOST = 100;

    /** What each thread has taken and not unlocked; nothing for a thread that has nothing. */
    private static final ThreadLocal<@Nullable Map<Identity, Hold>> HOLDS = new ThreadLocal<>();

    private final LockClient client;
    private final LockRequest request;
    private final Identity identity;
    private final Function<LockRequest, Optional<HeldLock>> uninterruptibly;

    /** Views with the same one are one lock. */
    private record Identity(LockClient client, List<LockKey> keys, LockMode mode, int permits) {}

    /** Belongs to one thread. */
    private static final class Hold {

        private final HeldLock lock;
        private int count = 1;
        /** Its thread has been told that it no longer has the lock. */
        private boolean lossIsKnown;

        Hold(HeldLock lock) {
            this.lock = lock;
        }

        boolean isHeld() {
            lossIsKnown = !lock.isHeld();
            return !lossIsKnown;
        }
    }

    /**
     * @param uninterruptibly like {@link LockClient#tryAcquire}, but not disturbed by interrupts
     */
    DefaultLockView(LockClient client, LockRequest request, Function<LockRequest, Optional<HeldLock>> uninterruptibly) {
        this.client = client;
        this.request = request;
        this.identity = new Identity(client, request.keys(), request.mode(), request.permits());
        this.uninterruptibly = uninterruptibly;
    }

    /** Waits as long as it takes, also for the store, and ignores interrupts (flag kept). */
    @Override
    public void lock() {
        lock(request);
    }

    @Override
    public void lock(Duration leaseTime) {
        lock(leased(leaseTime));
    }

    private void lock(LockRequest wanted) {
        while (!uninterruptibly(wanted.withWaitTime(LockOptions.MAX_WAIT))) {
            // Waits once more.
        }
    }

    private LockRequest leased(Duration leaseTime) {
        return request.withRenew(false).withLeaseTime(leaseTime);
    }

    /** One request, however often the thread is interrupted: another one would find the first in its way. */
    private boolean uninterruptibly(LockRequest wanted) {
        boolean interrupted = Thread.interrupted();
        try {
            return reenter() || enter(uninterruptibly.apply(wanted));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        while (!tryLock(request.withWaitTime(LockOptions.MAX_WAIT))) {
            // After a week it waits once more, at the end of the queue.
        }
    }

    /** One attempt, which ignores interrupts, as the interface requires. */
    @Override
    public boolean tryLock() {
        return uninterruptibly(request.withWaitTime(Duration.ZERO));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLock(waiting(request, unit.toNanos(time)));
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration leaseTime) throws InterruptedException {
        return tryLock(waiting(leased(leaseTime), TimeUnit.NANOSECONDS.convert(waitTime)));
    }

    private static LockRequest waiting(LockRequest wanted, long nanos) {
        return wanted.withWaitTime(Duration.ofNanos(Math.min(Math.max(0, nanos), LockOptions.MAX_WAIT.toNanos())));
    }

    private boolean tryLock(LockRequest wanted) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        try {
            return reenter() || enter(client.tryAcquire(wanted));
        } catch (LockInterruptedException interrupt) {
            // The interface declares the exception, which by convention clears the flag.
            Thread.interrupted();
            InterruptedException rethrown = new InterruptedException(interrupt.getMessage());
            rethrown.initCause(interrupt);
            throw rethrown;
        }
    }

    /**
     * A lost lock is not entered again: the holder learns of the loss here at the latest. Once it knows, which may be because
     * {@link #isHeldByCurrentThread} was false and it did not unlock, the lock can be taken anew.
     */
    private boolean reenter() {
        Hold hold = hold();
        if (hold == null || hold.lossIsKnown) {
            return false;
        }
        if (!hold.isHeld()) {
            hold.lock.ensureHeld();
        }
        hold.count++;
        return true;
    }

    private boolean enter(Optional<HeldLock> lock) {
        lock.ifPresent(held -> {
            Map<Identity, Hold> holds = Objects.requireNonNullElseGet(HOLDS.get(), HashMap::new);
            if (holds.size() >= MOST_LOST) {
                holds.values().removeIf(hold -> hold.lossIsKnown);
            }
            holds.put(identity, new Hold(held));
            HOLDS.set(holds);
        });
        return lock.isPresent();
    }

    @Override
    public void unlock() {
        Hold hold = hold();
        if (hold == null) {
            throw new IllegalMonitorStateException("lock " + request.keys() + " is not held by thread "
                    + Thread.currentThread().getName());
        }
        if (--hold.count == 0) {
            forget(identity);
            hold.lock.close();
        }
    }

    private static void forget(Identity identity) {
        Map<Identity, Hold> holds = Objects.requireNonNull(HOLDS.get());
        holds.remove(identity);
        if (holds.isEmpty()) {
            HOLDS.remove();
        }
    }

    private @Nullable Hold hold() {
        Map<Identity, Hold> holds = HOLDS.get();
        return holds == null ? null : holds.get(identity);
    }

    @Override
    public Optional<HeldLock> held() {
        return Optional.ofNullable(hold()).map(hold -> hold.lock);
    }

    @Override
    public int holdCount() {
        Hold hold = hold();
        return hold == null ? 0 : hold.count;
    }

    @Override
    public boolean isHeldByCurrentThread() {
        Hold hold = hold();
        return hold != null && hold.isHeld();
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
