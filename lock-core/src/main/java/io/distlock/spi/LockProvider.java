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
 * A store of locks. Asynchronous throughout: no method blocks, and no method throws for what the store did; a
 * store that fails or is silent is an answer. Keeping leases alive is not the provider's work, the engine does it.
 *
 * <p>Every delete and every extension compares the owner at the store. Thread-safe.
 */
public interface LockProvider extends AutoCloseable {

    /** The provider's name in configuration and metrics: {@code redis}, {@code redlock}, {@code etcd}. */
    String name();

    /** The longest that a single call to the store is waited for. */
    Duration callTimeout();

    /**
     * By what part of a lease the clocks of this machine and of the store may drift apart while it lasts. The holder
     * believes in the lease for so much less, and for 2 ms less on top.
     */
    default double clockDrift() {
        return 0.01;
    }

    /**
     * Whether locks with these options can be had from this store, however long one waits. Asked when an application
     * starts, about each lock that it has declared; without I/O.
     *
     * @throws IllegalArgumentException if not, with the option, the value, the rule and the cure
     */
    default void validate(LockOptions options) {}

    /**
     * Asks for a lease and waits until the request's deadline; the deadline having passed already, tries once.
     * Ends within the deadline plus one call timeout. Empty if others held the key all that time; fails with
     * {@link io.distlock.LockUnavailableException} if the store did not answer.
     *
     * <p>Cancelling the future stops the wait and leaves nothing behind at the store: what may have been applied is
     * withdrawn in the background. The same goes for each way of ending without a grant.
     */
    CompletableFuture<Optional<Grant>> acquire(LeaseRequest request);

    /**
     * Registers a callback for a grant that is now held: a store that notices that it has lost the lease calls it, sooner
     * than the next renewal would tell. Asked once for each grant, right after it; ends with the release of the lease, and
     * what is told from then on is ignored. By default losses are found by renewals alone.
     *
     * @param lost returns at once and throws nothing; may be called on any thread, more than once, and before this
     *     method returns if the lease is gone already
     */
    default void onLoss(Lease lease, Runnable lost) {}

    /** Extends leases of this provider, many in one go, and answers for each. */
    void renew(Collection<Lease> leases, RenewalAnswers answers);

    /**
     * Gives a lease back. Asking again is harmless.
     *
     * @param keepFor for how long the key stays taken nevertheless (the rest of a minimum hold time); zero or less
     *     frees it at once
     */
    CompletionStage<Release> release(Lease lease, Duration keepFor);

    /** Whether the grant stands at the store now. Fails if the store does not answer. */
    CompletionStage<Boolean> isCurrent(Sequencer sequencer);

    /** Who holds a key now; empty if nobody does. Fails if the store does not answer. */
    CompletionStage<Optional<LockStatus>> inspect(LockKey key);

    /**
     * Takes a lock away from whoever holds it by this token, comparing it at the store; nobody is told. Ends within two
     * call timeouts. {@link Release#NOT_OWNER} if nobody holds it by this token.
     */
    default CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException(
                "the provider '" + name() + "' cannot take a lock away from its holder"));
    }

    /** How the store is. Never fails: a silent store is {@link ProviderStatus.State#DOWN}. */
    CompletionStage<ProviderStatus> check();

    /** Gives up connections and waiting acquisitions, in bounded time. Leases that are held stay, and expire. */
    @Override
    void close();
}
