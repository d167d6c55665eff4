package io.distlock;

import java.io.Serializable;
import java.time.Duration;

/**
 * The loss of a lock that was held. {@link HeldLock#lost()} and {@link HeldLock#onLost} report it.
 *
 * @param key the lock
 * @param mode how it was held
 * @param token the token of the lost grant
 * @param reason why it is gone
 * @param heldFor from the grant to the loss
 * @param sinceRenewal time since the last confirmed renewal, extension or request for the lock left this machine
 */
public record LockLoss(
        LockKey key, LockMode mode, FencingToken token, Reason reason, Duration heldFor, Duration sinceRenewal)
        implements Serializable {

    /** Why a lock was lost. */
    public enum Reason {

        /** It was not renewed or extended in time: its validity ran out by the holder's own clock. */
        EXPIRED("its validity ran out"),

        /** The store reported that it is no longer ours: it expired there, was deleted, or another holds it. */
        NOT_OWNER("the store no longer knows this holder"),

        /** It was held for its maximum hold time. */
        MAX_HOLD_TIME("it reached its maximum hold time"),

        /** Its client was closed while it was still held. */
        CLIENT_CLOSED("the lock client was closed while it was held");

        private final String explanation;

        Reason(String explanation) {
            this.explanation = explanation;
        }

        /** One clause for a message. */
        public String explanation() {
            return explanation;
        }
    }
}
