package io.distlock.support;

import io.distlock.LockKey;
import io.distlock.Release;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A store without a queue: it answers each try at once, and notifies subscribers of releases. */
public interface TryLockStore {

    /**
     * Tries once. The stage does not fail, since {@link Result.Failed} is an answer. It may never end: the caller limits
     * the time, and then cancels it, if it is a future, and withdraws what it may have left.
     *
     * @param again whether an earlier try by the same owner may have been applied
     */
    CompletionStage<Result> attempt(LeaseRequest request, boolean again);

    /** Deletes what a try of this request may have left: a grant or a waiter's entry. */
    CompletionStage<Release> withdraw(LeaseRequest request);

    /** Whether a refused try may leave an entry for a waiting writer. */
    default boolean notesWaiters() {
        return true;
    }

    /**
     * Subscribes to the releases of a key. Once the stage is complete, {@code wake} is called after each release, and after
     * each interruption of the connection during which one may have been missed. Fails if the store cannot be reached.
     *
     * @param wake never blocks
     */
    CompletionStage<Subscription> subscribe(LockKey key, Runnable wake);

    /**
     * Joins a subscription that stands already, if there is one: for each acquisition, before its first try, so it must cost next
     * to nothing, and must not fail. Who has joined parks after the first refusal, without subscribing and trying again.
     *
     * @param wake as of {@link #subscribe}
     */
    default Optional<Subscription> join(LockKey key, Runnable wake) {
        return Optional.empty();
    }

    /** A subscription to the releases of one key. */
    interface Subscription {

        /**
         * Checks that releases can still arrive, and mends the connection if not; called while nothing is heard. Does not block,
         * and never fails.
         */
        default void probe() {}

        /**
         * Whether the store itself looks at the key every few seconds, for all who wait, and wakes them when a lease has ended or a
         * message was lost: then they do not ask. Waiters are woken when that ends.
         */
        default boolean looksForWaiters() {
            return false;
        }

        /** Never fails; may be called more than once. */
        void close();
    }

    /** How one try to take a lock ended. */
    sealed interface Result {

        record Granted(Grant grant) implements Result {}

        /**
         * Another holds the lock.
         *
         * @param freeIn when the store frees it unless the holder renews it, if known
         */
        record Refused(Optional<Duration> freeIn) implements Result {}

        /**
         * The store did not answer, or answered with an error.
         *
         * @param mayBeApplied whether the lock may have been granted nevertheless
         */
        record Failed(Throwable cause, boolean mayBeApplied) implements Result {}
    }
}
