package io.distlock;

/** The outcome of a release. */
public enum Release {

    /** This client held it. It is free now, or will be when its minimum hold time is over. */
    RELEASED,

    /**
     * It had been lost: this was known before the release, or the store no longer had it although its validity and lock-delay
     * were not over by the clock.
     */
    NOT_OWNER,

    /**
     * The release began while the lock was held, but its outcome is unknown. Either the store did not answer: the key is
     * deleted in the background, or expires. Or the store reported, after the lock had expired, that somebody else has it or
     * nobody: it may have expired meanwhile. As far as is known, the lock covered the work.
     */
    UNKNOWN
}
