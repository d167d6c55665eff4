package io.distlock;

/** Why a lock was lost. */
public enum LossReason {

    /** It could not be renewed in time: its validity has run out by the holder's own clock. */
    EXPIRED("its validity ran out before a renewal was confirmed"),

    /** The store says that it is no longer ours: it expired there, was deleted, or another holds it. */
    NOT_OWNER("the store no longer knows this holder"),

    /** It was held for its maximum hold time. */
    MAX_HOLD_TIME("it reached its maximum hold time"),

    /** Its client was closed while it was still held. */
    CLIENT_CLOSED("the lock client was closed while it was held");

    private final String explanation;

    LossReason(String explanation) {
        this.explanation = explanation;
    }

    /** One clause for a message. */
    public String explanation() {
        return explanation;
    }
}
