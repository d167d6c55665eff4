package io.distlock;

/** What the store said when a lock was given back. */
public enum Release {

    /** It was ours and is free now (or stays taken until its minimum hold time is over). */
    RELEASED,

    /**
     * It was no longer ours, although its time was not over: it had been lost before. Or the lock was known to be lost
     * before it was to be released.
     */
    NOT_OWNER,

    /**
     * The release began while the lock was held, and no answer came that says what became of it. Either there was none: the
     * key is compared and deleted in the background, or expires by itself. Or the store said that the lock is not ours, after
     * it had run out: it may have expired on the way. As far as anybody can tell, the work under the lock was covered.
     */
    UNKNOWN
}
