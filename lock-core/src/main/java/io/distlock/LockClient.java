package io.distlock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Acquires locks from one provider, renews them while they are held, and releases them.
 *
 * <pre>{@code
 * try (HeldLock lock = client.acquire(client.request("orders", "42"))) {
 *     stock.reserve(lock.fencingToken());
 * }
 * }</pre>
 *
 * <p>A client serves requests for a key in arrival order. Only one at a time, or several shared ones, asks the store.
 * Locks are not re-entrant, but their {@linkplain #asLock views} are.
 *
 * <p>Thread-safe.
 */
public interface LockClient extends AutoCloseable {

    /** The name of the provider: {@code redis}, {@code etcd}, … */
    String provider();

    /** The options that {@link #request(LockKey) requests} start from. */
    LockOptions options();

    /**
     * Checks that the store can grant locks with these options.
     *
     * @throws IllegalArgumentException if not, with the option, the value, the rule and the fix
     */
    void validate(LockOptions options);

    /** An exclusive request for a name, with this client's options. */
    default LockRequest request(String name) {
        return request(LockKey.of(name));
    }

    /** An exclusive request for an item under a name, with this client's options. */
    default LockRequest request(String name, String key) {
        return request(LockKey.of(name, key));
    }

    /** An exclusive request for a key, with this client's options. */
    default LockRequest request(LockKey key) {
        Objects.requireNonNull(key, "key must not be null");
        return LockRequest.of(options(), List.of(key));
    }

    /** An exclusive request for several keys, all or nothing, with this client's options. */
    default LockRequest request(Collection<LockKey> keys) {
        return LockRequest.of(options(), keys);
    }

    /**
     * Waits for the lock, usually no longer than the request's wait time. A store that does not answer may add the
     * provider's call timeout and 250 ms; for several keys another call timeout, to release those already taken. Without
     * a wait time, that holds for each of several keys, since they are asked for in turn.
     *
     * @throws LockNotAcquiredException if others held it throughout
     * @throws LockUnavailableException if the store did not answer, or this client is closed
     * @throws LockInterruptedException if the thread was interrupted; the flag is kept
     */
    HeldLock acquire(LockRequest request);

    /**
     * Like {@link #acquire}, but empty if others held the lock throughout.
     *
     * @throws LockUnavailableException if the store did not answer, or this client is closed
     * @throws LockInterruptedException if the thread was interrupted; the flag is kept
     */
    Optional<HeldLock> tryAcquire(LockRequest request);

    /**
     * Requests the lock without blocking the caller. The future fails like {@link #acquire}. Cancelling it leaves
     * nothing behind. Dependents without an executor run on the client's callback executor and may block; those added after
     * completion run at once, on the adding thread.
     */
    CompletableFuture<HeldLock> acquireAsync(LockRequest request);

    /** Like {@link #acquireAsync}, but empty if others held the lock throughout. */
    CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request);

    /**
     * The lock as a {@link Lock}: re-entrant per thread, without conditions. All views that this client makes of the same keys
     * in the same mode, with as many permits, are one lock; the options of the outermost call apply. {@code lock()} waits until
     * it has the lock, also while the store does not answer; {@code tryLock} then throws {@link LockUnavailableException}. If
     * the lock was lost, {@code unlock()} throws {@link LockLostException}. So does the first attempt to enter it again, unless
     * {@link LockView#isHeldByCurrentThread} has already said so; the next one takes it anew.
     */
    LockView asLock(LockRequest request);

    /**
     * Two views like {@link #asLock}: the read lock is shared, the write lock exclusive. A thread that holds one must not
     * wait for the other: it would wait for itself.
     */
    default LockView.Pair asReadWriteLock(LockRequest request) {
        return new LockView.Pair(
                asLock(request.withMode(LockMode.SHARED)), asLock(request.withMode(LockMode.EXCLUSIVE)));
    }

    /**
     * Asks the store whether the grant is still current (Chubby's CheckSequencer).
     *
     * @throws LockUnavailableException if the store did not answer
     * @throws LockInterruptedException if the thread was interrupted; the flag is kept
     */
    boolean isCurrent(Sequencer sequencer);

    /** Like {@link #isCurrent}, without blocking the caller. Dependents run as those of {@link #acquireAsync} do. */
    CompletableFuture<Boolean> isCurrentAsync(Sequencer sequencer);

    /**
     * What the store knows about a lock; empty if nobody holds it.
     *
     * @throws LockUnavailableException if the store did not answer
     * @throws LockInterruptedException if the thread was interrupted; the flag is kept
     */
    Optional<LockStatus> inspect(LockKey key);

    /**
     * Takes a lock away from the holder with this token. For operators who know that the holder is gone or stuck. A holder
     * in this client is notified first, and has lost the lock even if this fails. One elsewhere finds out at its next
     * renewal (or the one after, if one is under way; without renewal, when it extends or releases the lock), and until
     * then acts on a lock that another may have: only a resource that checks fencing tokens can reject its work.
     *
     * @return {@link Release#NOT_OWNER} if nobody holds the lock with this token
     * @throws LockUnavailableException if the store did not answer
     * @throws LockInterruptedException if the thread was interrupted; the flag is kept, and the lock may be taken away
     *     anyway
     * @throws UnsupportedOperationException if the provider cannot do this, and the holder is not in this client
     */
    Release forceRelease(LockKey key, FencingToken token);

    /** A lazy, live, unordered view of the locks that this client holds. Reading it does not affect them. */
    Stream<HeldLockInfo> held();

    /** The calls this client has not answered yet, like {@link #held()}. */
    Stream<WaiterInfo> waiting();

    /**
     * Runs code that may block: what dependents of this client's futures run on. Runs whatever it is given, and never throws.
     */
    Executor callbacks();

    /** Adds a listener for the events of all locks of this client. */
    void addListener(LockListener listener);

    void removeListener(LockListener listener);

    /**
     * Adds a function that makes a listener for each request. It is called on the requesting thread before the request; its
     * exceptions are logged, and the request then has no listener of its own.
     */
    void addRequestListener(Function<LockRequest, LockListener.OfRequest> listener);

    /**
     * Closes the client in bounded time: refuses new requests, fails waiting ones, gives holders the configured time to
     * release their locks, and declares the rest lost, which listeners have the time of one call to hear. The store keeps
     * those until they expire, since their holders may still be working. Does not close the provider.
     */
    @Override
    void close();

    /** A distributed lock as a {@link Lock}: see {@link #asLock}. Thread-safe. */
    interface LockView extends Lock {

        /** {@link #lock()} with this lease, which is not renewed. A thread that holds the lock keeps the lease it has. */
        void lock(Duration leaseTime);

        /**
         * {@link #tryLock(long, java.util.concurrent.TimeUnit)} with this lease, which is not renewed. A thread that holds the
         * lock keeps the lease it has.
         */
        boolean tryLock(Duration waitTime, Duration leaseTime) throws InterruptedException;

        /** The lock that the calling thread has taken and not unlocked; it may have been lost. */
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
}
