package io.distlock;

import java.time.Duration;

/**
 * An event in the life of a client's lock. New kinds may be added: a {@code switch} over them needs a default branch.
 */
public sealed interface LockEvent {

    LockKey key();

    LockMode mode();

    /**
     * The lock was granted.
     *
     * @param waited from the request to the grant
     */
    record Acquired(LockKey key, LockMode mode, FencingToken token, Duration waited) implements LockEvent {}

    /** Others held the lock for the whole wait time. */
    record NotAcquired(LockKey key, LockMode mode, Duration waited) implements LockEvent {}

    /**
     * The store did not answer, or the wait was cancelled or interrupted.
     *
     * @param cause a {@link LockUnavailableException}, or a {@link java.util.concurrent.CancellationException} if the
     *     caller stopped waiting
     */
    record Failed(LockKey key, LockMode mode, Duration waited, Throwable cause) implements LockEvent {}

    /**
     * A renewal was answered, or timed out.
     *
     * @param confirmed whether the lease was extended
     */
    record Renewed(LockKey key, LockMode mode, FencingToken token, boolean confirmed) implements LockEvent {}

    /** The holder released the lock. */
    record Released(LockKey key, LockMode mode, FencingToken token, Duration heldFor, Release outcome)
            implements LockEvent {}

    /** The lock was lost. */
    record Lost(LockLoss loss) implements LockEvent {

        @Override
        public LockKey key() {
            return loss.key();
        }

        @Override
        public LockMode mode() {
            return loss.mode();
        }
    }
}
