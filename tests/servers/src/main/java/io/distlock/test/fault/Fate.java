package io.distlock.test.fault;

/** What becomes of bytes under way. */
enum Fate {
    /** They arrive. */
    DELIVER,
    /** They vanish; the connection stays. */
    DROP,
    /** They vanish, and the connection is cut. */
    CUT
}
