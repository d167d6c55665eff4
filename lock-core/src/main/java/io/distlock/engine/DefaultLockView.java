package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockClient.LockView;
import io.distlock.LockException;
import io.distlock.LockInterruptedException;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock of any client, re-entrant per thread; the starter decides how annotated methods nest. Thread-safe. */
public final class DefaultLockView implements LockView {

    private final LockClient client;
    private final LockRequest request;
    private final Function<LockRequest, Optional<HeldLock>> uninterruptibly;

    @SuppressWarnings("ThreadLocalUsage") // each view has its own holders, like each ReentrantLock
    private final ThreadLocal<@Nullable Hold> holds = new ThreadLocal<>();

    private record Hold(HeldLock lock, int count) {}

    /**
     * @param uninterruptibly like {@link LockClient#tryAcquire}, but not disturbed by interrupts
     */
    DefaultLockView(LockClient client, LockRequest request, Function<LockRequest, Optional<HeldLock>> uninterruptibly) {
        this.client = client;
        this.request = request;
        this.uninterruptibly = uninterruptibly;
    }

    /** Implements {@link LockClient#asLock} with the client's other methods, for delegating clients. */
    public static LockView of(LockClient client, LockRequest request) {
        return new DefaultLockView(client, request, wanted -> join(client.tryAcquireAsync(wanted)));
    }

    private static Optional<HeldLock> join(CompletableFuture<Optional<HeldLock>> answer) {
        try {
            return answer.join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof LockException known ? known : failure;
        }
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

    /** A lost lock is not re-entered: the holder learns of the loss here at the latest. */
    private boolean reenter() {
        Hold hold = holds.get();
        if (hold == null) {
            return false;
        }
        hold.lock.ensureHeld();
        holds.set(new Hold(hold.lock, hold.count + 1));
        return true;
    }

    private boolean enter(Optional<HeldLock> lock) {
        lock.ifPresent(held -> holds.set(new Hold(held, 1)));
        return lock.isPresent();
    }

    @Override
    public void unlock() {
        Hold hold = holds.get();
        if (hold == null) {
            throw new IllegalMonitorStateException("lock " + request.keys() + " is not held by thread "
                    + Thread.currentThread().getName());
        }
        if (hold.count > 1) {
            holds.set(new Hold(hold.lock, hold.count - 1));
        } else {
            holds.remove();
            hold.lock.close();
        }
    }

    @Override
    public Optional<HeldLock> held() {
        return Optional.ofNullable(holds.get()).map(hold -> hold.lock);
    }

    @Override
    public int holdCount() {
        Hold hold = holds.get();
        return hold == null ? 0 : hold.count;
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
