package io.distlock.spring.transaction;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.Sequencer;
import io.distlock.spring.context.Hold;
import java.util.Collection;

/** Lets nothing be committed under a lock that is gone. Thread-safe. */
public final class CommitGuard {

    private final boolean asksStore;

    /**
     * By the clock, and optionally by the store.
     *
     * @param asksStore whether a lock counts only if the store confirms it at this moment; one call for each key
     */
    public CommitGuard(boolean asksStore) {
        this.asksStore = asksStore;
    }

    /** Whether a check may block. */
    boolean asksStore() {
        return asksStore;
    }

    /**
     * Goes on only if all of these are held.
     *
     * @throws io.distlock.LockLostException if one was lost
     * @throws io.distlock.LockUnavailableException if the store was to be asked and did not answer
     * @throws IllegalStateException if one was given back already
     */
    void check(Collection<Hold> holds) {
        for (Hold hold : holds) {
            hold.lock().ensureHeld();
            if (asksStore) {
                confirm(hold.lock(), hold.client());
            }
        }
    }

    private static void confirm(HeldLock lock, LockClient client) {
        for (Sequencer sequencer : lock.sequencers()) {
            if (!client.isCurrent(sequencer)) {
                // Tells the loss, of which the store's answer to the release is the proof.
                lock.close();
                throw new IllegalStateException("the store does not know lock '" + sequencer + "' any more");
            }
        }
    }
}
