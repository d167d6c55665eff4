package io.distlock.leader;

import io.distlock.LockLoss;

/** Why a term has ended. */
public enum Revocation {

    /** This instance resigned, and stands again after a pause. */
    RESIGNED("it resigned"),

    /** This instance stands no longer. */
    WITHDRAWN("it no longer stands"),

    /** The store has not confirmed the lock for so long that another instance could soon be elected. */
    EXPIRED("the store has not confirmed its lock in time"),

    /** The lock was taken away: it was released by force or deleted, or the store has forgotten it. */
    LOST("its lock was taken away"),

    /** A listener failed when it was told of the election. */
    FAILED("a listener failed when it was elected"),

    /** The client of the election was closed first. */
    CLIENT_CLOSED("its lock client was closed");

    private final String explanation;

    Revocation(String explanation) {
        this.explanation = explanation;
    }

    /** One clause for a message. */
    public String explanation() {
        return explanation;
    }

    static Revocation of(LockLoss.Reason loss) {
        return switch (loss) {
            case EXPIRED, MAX_HOLD_TIME -> EXPIRED;
            case NOT_OWNER -> LOST;
            case CLIENT_CLOSED -> CLIENT_CLOSED;
        };
    }
}
