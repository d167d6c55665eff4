package io.distlock.spi;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store of locks. Asynchronous: apart from {@link #close()} no method blocks, and none throws because of the store; a
 * failure or a timeout is an answer. The engine decides when to renew leases.
 *
 * <p>Every delete and every extension compares the owner at the store. Thread-safe.
 *
 * <p>A provider for another store is a separate module, and changes no other. A store without a queue implements {@code
 * io.distlock.support.TryLockStore} and waits in {@code AcquireLoop}. Its tests extend {@code LockProviderContract} in {@code
 * lock-provider-tck}.
 */
public interface LockProvider extends AutoCloseable {

    /** The provider's name in configuration and metrics: {@code redis}, {@code redlock}, {@code etcd}. */
    String name();

    /** The longest wait for the answer to a single call. */
    Duration callTimeout();

    /**
     * True once this process is connected for the first time; false once that has taken longer than the provider's connect
     * timeout. Never fails. Acquisitions wait for it before their own time begins: loading classes and connecting says
     * nothing about the store.
     */
    default CompletableFuture<Boolean> connected() {
        return CompletableFuture.completedFuture(true);
    }

    /**
     * The fraction of a lease by which the clocks of this machine and the store may drift apart meanwhile. The
     * lease's validity is shorter by that plus 2 ms.
     */
    default double clockDrift() {
        return 0.01;
    }

    /**
     * Checks that this store can ever grant locks with these options. Called when an application starts, for each lock that
     * it declares; without I/O.
     *
     * @throws IllegalArgumentException if not, with the option, the value, the rule and the fix
     */
    default void validate(LockOptions options) {}

    /**
     * Requests a lease and waits until the request's deadline; tries once if that has passed. Ends within the deadline plus
     * one call timeout. Empty if others held the key throughout; fails with
     * {@link io.distlock.LockUnavailableException} if the store did not answer.
     *
     * <p>Cancelling the future stops the wait. It leaves nothing behind in the store, like any other end without a grant:
     * what may have been applied is withdrawn in the background.
     */
    CompletableFuture<Optional<Grant>> acquire(LeaseRequest request);

    /**
     * Registers a callback for the loss of a lease, so that the holder need not wait for the next renewal. Called once for
     * each grant, right after it. The registration ends when the lease is released; later callbacks are ignored. By
     * default only renewals discover losses.
     *
     * @param lost returns at once and never throws; may be called on any thread, repeatedly, and before this method
     *     returns
     */
    default void onLoss(Lease lease, Runnable lost) {}

    /** Extends leases of this provider in one batch, and answers for each. */
    void renew(Collection<Lease> leases, Renewal.Answers answers);

    /**
     * Extends one lease so that it lasts at least this long from now; never shortens it.
     *
     * @throws IllegalArgumentException if this store cannot keep the lease that long
     * @throws UnsupportedOperationException if this provider cannot extend leases
     */
    default void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        throw new UnsupportedOperationException("the provider '" + name() + "' cannot extend leases");
    }

    /**
     * Releases a lease. Repeating it is harmless.
     *
     * @param keepFor how long the key stays taken (the rest of a minimum hold time); zero or less frees it at once
     */
    CompletionStage<Release> release(Lease lease, Duration keepFor);

    /** Whether the store still has the grant. Fails if the store does not answer. */
    CompletionStage<Boolean> isCurrent(Sequencer sequencer);

    /** The holders of a key now; empty if there are none. Fails if the store does not answer. */
    CompletionStage<Optional<LockStatus>> inspect(LockKey key);

    /**
     * Takes a lock away from the holder with this token, which the store compares; notifies nobody. Ends within two call
     * timeouts. {@link Release#NOT_OWNER} if nobody holds the lock with this token.
     */
    default CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("the provider '" + name() + "' does not support forced release"));
    }

    /** The state of the store. Never fails: a silent store is {@link ProviderStatus.State#DOWN}. */
    CompletionStage<ProviderStatus> check();

    /** Closes connections and fails waiting acquisitions, in bounded time. Held leases stay, and expire. */
    @Override
    void close();
}
