package io.distlock.support;

import io.distlock.LockKey;
import io.distlock.Release;
import io.distlock.spi.LeaseRequest;
import java.util.concurrent.CompletionStage;

/** A store that knows no queue: it answers at once, and tells those who listen when a lock is given back. */
public interface OneShotStore {

    /**
     * Tries once. The stage does not fail: {@link Attempt.Failed} is an answer. It may never end; the caller
     * limits the time.
     *
     * @param again whether an earlier try by the same owner may have been applied
     */
    CompletionStage<Attempt> attempt(LeaseRequest request, boolean again);

    /** Deletes whatever a try of this request may have left: a grant, a place among the waiters. */
    CompletionStage<Release> withdraw(LeaseRequest request);

    /**
     * Listens for the release of a key. The stage ends once nothing can be missed any more; from then on
     * {@code wake} is called after each release, and after each interruption of the connection during which one
     * may have been missed. It fails if the store cannot be reached.
     *
     * @param wake never blocks
     */
    CompletionStage<Subscription> subscribe(LockKey key, Runnable wake);

    /** Interest in the releases of one key. */
    interface Subscription {

        /** Ends the interest; never fails, and may be called more than once. */
        void close();
    }
}
