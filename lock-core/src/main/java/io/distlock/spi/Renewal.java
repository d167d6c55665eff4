package io.distlock.spi;

/** The outcome of a renewal. */
public enum Renewal {

    /** The lease runs for its whole time, counted from when the renewal was sent. */
    RENEWED,

    /** The lease is gone: the entry has expired, was deleted, or belongs to another. */
    NOT_OWNER,

    /** No answer. Neither loses the lease nor extends it: the reply may be lost, not the renewal. */
    UNKNOWN
}
