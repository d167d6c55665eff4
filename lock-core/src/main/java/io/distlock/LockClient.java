package io.distlock;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

/**
 * Takes locks from one provider, keeps them alive while they are held, and gives them back.
 *
 * <pre>{@code
 * try (HeldLock lock = client.acquire(client.request("orders", "42"))) {
 *     stock.reserve(lock.fencingToken());
 * }
 * }</pre>
 *
 * <p>Within one client, requests for a key are served in the order in which they came, and only one of them at a
 * time speaks to the store. Locks are not re-entrant here; the {@link #asLock(LockRequest) Lock view} is.
 *
 * <p>Thread-safe.
 */
public interface LockClient extends AutoCloseable {

    /** The name of the provider: {@code redis}, {@code etcd}, … */
    String provider();

    /** The options that {@link #request(LockKey) requests} start from. */
    LockOptions options();

    /**
     * Whether the store grants locks with such options at all; says so before one is asked for in vain.
     *
     * @throws IllegalArgumentException if not, with the option, the value, the rule and the cure
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
        return LockRequest.of(options(), List.of(key));
    }

    /** An exclusive request for several keys, all or nothing, with this client's options. */
    default LockRequest request(Collection<LockKey> keys) {
        return LockRequest.of(options(), keys);
    }

    /**
     * Waits for the lock, no longer than the request's wait time, the provider's call timeout and 250 ms. Mostly it ends
     * with the wait time; the rest is for a store that does not answer.
     *
     * @throws LockNotAcquiredException if another held it all that time
     * @throws LockUnavailableException if the store did not answer, or this client is closed
     * @throws LockInterruptedException if the thread was interrupted; the flag is kept
     */
    HeldLock acquire(LockRequest request);

    /**
     * As {@link #acquire}, but empty where another held the lock all that time.
     *
     * @throws LockUnavailableException if the store did not answer, or this client is closed
     * @throws LockInterruptedException if the thread was interrupted; the flag is kept
     */
    Optional<HeldLock> tryAcquire(LockRequest request);

    /**
     * Asks for the lock without blocking the caller. The future fails as {@link #acquire} throws. Cancelling it
     * leaves nothing behind. Dependents that are not given an executor run on the client's callback executor and
     * may block; those that are added when it is complete already run at once, on the thread that adds them.
     */
    CompletableFuture<HeldLock> acquireAsync(LockRequest request);

    /** As {@link #acquireAsync}, but empty where another held the lock all that time. */
    CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request);

    /**
     * The lock as a {@link Lock}: re-entrant per thread, conditions unsupported. Keep the view and share it, as one
     * would a {@link java.util.concurrent.locks.ReentrantLock}: two views of one key exclude each other.
     * {@code lock()} waits without end for whoever holds it, but throws {@link LockUnavailableException} if the store is
     * silent. {@code unlock()} throws {@link LockLostException} if the lock was lost, and so does taking it once more
     * after that, for there is no other way to tell.
     */
    Lock asLock(LockRequest request);

    /**
     * Asks the store whether the grant still stands at this moment (Chubby's CheckSequencer).
     *
     * @throws LockUnavailableException if the store did not answer
     * @throws LockInterruptedException if the thread was interrupted; the flag is kept
     */
    boolean isCurrent(Sequencer sequencer);

    /**
     * What the store knows about a lock; empty if nobody holds it.
     *
     * @throws LockUnavailableException if the store did not answer
     * @throws LockInterruptedException if the thread was interrupted; the flag is kept
     */
    Optional<LockStatus> inspect(LockKey key);

    /**
     * Takes a lock away from whoever holds it by this token. For people who know that its holder is gone or stuck: a holder
     * in this client is told first, one elsewhere notices when it renews (with the renewal after the next one if the next
     * is under way already), and until then believes in a lock that another may have. What the holder still does, only a resource that checks the fencing token can refuse.
     *
     * @return {@link Release#NOT_OWNER} if nobody holds the lock by this token
     * @throws LockUnavailableException if the store did not answer
     * @throws LockInterruptedException if the thread was interrupted; the flag is kept, and the lock may be taken away
     *     nevertheless
     * @throws UnsupportedOperationException if the provider cannot do this
     */
    Release forceRelease(LockKey key, FencingToken token);

    /**
     * What this client holds at this moment, in no order. A lazy look at a set that changes meanwhile: costs the locks
     * nothing, and as much memory as the caller keeps of it.
     */
    Stream<HeldLockInfo> held();

    /** The calls that this client has not answered at this moment, as {@link #held()}. */
    Stream<WaiterInfo> waiting();

    /** Adds a listener for the events of all locks of this client. */
    void addListener(LockListener listener);

    void removeListener(LockListener listener);

    /**
     * Ends in bounded time: takes no new requests, fails those that wait, gives held locks the configured grace to
     * be released by their holders, and declares the rest lost. What is not released is not deleted either, since
     * its holder may still be at work: it expires. Does not close the provider.
     */
    @Override
    void close();
}
