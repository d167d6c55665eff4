package io.distlock;

/** The outcome of a release. */
public enum Release {

    /** It was ours and is free now, or will be when its minimum hold time is over. */
    RELEASED,

    /** It had been lost: known before the release, or no longer ours although still valid by our clock. */
    NOT_OWNER,

    /**
     * The release began while the lock was held, but its outcome is unknown. Either the store did not answer: the key is
     * deleted in the background, or expires. Or the store reported, after the lock had expired, that it is not ours: it may
     * have expired meanwhile. As far as is known, the lock covered the work.
     */
    UNKNOWN
}
