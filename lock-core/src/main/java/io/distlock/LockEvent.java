package io.distlock;

import java.time.Duration;

/**
 * An event in the life of a client's lock, for {@link LockListener}s and, in a Spring application, for listeners of the
 * application context, which do not hear of {@link Renewed}. New kinds may be added: a {@code switch} over them needs a
 * default branch.
 */
public sealed interface LockEvent {

    /** The name of the lock's provider. */
    String provider();

    LockKey key();

    LockMode mode();

    /**
     * The lock was granted.
     *
     * @param waited from the request to the grant
     */
    record Acquired(String provider, LockKey key, LockMode mode, FencingToken token, Duration waited)
            implements LockEvent {}

    /** Others held the lock for the whole wait time. */
    record NotAcquired(String provider, LockKey key, LockMode mode, Duration waited) implements LockEvent {}

    /**
     * The store did not answer, or the wait was cancelled or interrupted.
     *
     * @param cause a {@link LockUnavailableException}, or a {@link java.util.concurrent.CancellationException} if the
     *     caller stopped waiting
     */
    record Failed(String provider, LockKey key, LockMode mode, Duration waited, Throwable cause) implements LockEvent {}

    /**
     * A renewal was answered, or timed out.
     *
     * @param confirmed whether the lease was extended
     */
    record Renewed(String provider, LockKey key, LockMode mode, FencingToken token, boolean confirmed)
            implements LockEvent {}

    /** The holder released the lock. */
    record Released(String provider, LockKey key, LockMode mode, FencingToken token, Duration heldFor, Release outcome)
            implements LockEvent {}

    /** The lock was lost. */
    record Lost(String provider, LockLoss loss) implements LockEvent {

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
