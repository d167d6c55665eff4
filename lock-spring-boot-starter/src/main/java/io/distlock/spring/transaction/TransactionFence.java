package io.distlock.spring.transaction;

import io.distlock.Sequencer;
import org.springframework.transaction.PlatformTransactionManager;
import reactor.core.publisher.Mono;

/**
 * A resource that takes part in transactions and refuses those of stale lock holders. A bean of this type is called for each
 * lock of a transaction. A lock under which the transaction begins is checked at its beginning, a lock taken inside it
 * before the lock's body runs, and all of them once more before the commit. Thread-safe.
 */
public interface TransactionFence {

    /**
     * Checks a lock of the transaction on this thread. Does nothing if the resource takes no part in that
     * transaction, or has already checked the lock in it.
     *
     * @param provider the name of the provider that granted it
     * @throws RuntimeException to refuse the transaction
     */
    void enter(String provider, Sequencer sequencer);

    /** Whether it is called for locks of this manager's transactions. Begins one, and rolls it back. */
    default boolean isCalledFor(PlatformTransactionManager manager) {
        return CommitGuard.shows(manager, this);
    }

    /** The same for reactive transactions. Thread-safe. */
    @FunctionalInterface
    interface Reactive {

        /**
         * Checks a lock of the transaction in the subscription's context. Does nothing if the resource takes no part in that
         * transaction. An error refuses the transaction.
         *
         * @param provider the name of the provider that granted it
         */
        Mono<Void> enter(String provider, Sequencer sequencer);
    }
}
