package io.distlock;

/** What the store said when a lock was given back. */
public enum Release {

    /** It was ours and is free now (or stays taken until its minimum hold time is over). */
    RELEASED,

    /** It was no longer ours: it had been lost before. */
    NOT_OWNER,

    /** The store did not answer. The key is compared and deleted in the background, or expires by itself. */
    UNKNOWN
}
