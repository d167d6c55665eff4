package io.distlock.spi;

/** The outcome of a renewal. */
public enum Renewal {

    /** The lease runs for its full time, counted from when the renewal was sent. */
    RENEWED,

    /** The lease is gone: the entry has expired, was deleted, or belongs to another. */
    NOT_OWNER,

    /** No answer. Neither loses the lease nor extends it: the reply may be lost, not the renewal. */
    UNKNOWN;

    /**
     * Receives the answers to a batch of renewals, each as soon as known, so that a slow node delays only its own leases. A
     * lease without an answer counts as {@link #UNKNOWN}. Never blocks and never throws; any thread may call it.
     */
    @FunctionalInterface
    public interface Answers {

        void answer(Lease lease, Renewal renewal);

        /**
         * The lease runs for its whole time from this moment, which may precede the request: if leases share a session in the
         * store, one call extends them all. Override this where a lease's time is counted.
         *
         * @param since read before sending the call that extended it
         */
        default void renewedSince(Lease lease, Moment since) {
            answer(lease, Renewal.RENEWED);
        }
    }
}
