package io.distlock.spi;

/**
 * Takes the answers to a batch of renewals, one lease at a time and as soon as each is known, so that a slow node
 * holds up nobody but the leases it keeps. A lease that is never answered counts as {@link Renewal#UNKNOWN}.
 * Never blocks and never throws; any thread may call it.
 */
@FunctionalInterface
public interface RenewalAnswers {

    void answer(Lease lease, Renewal renewal);

    /**
     * The lease runs on for its whole time from this moment, which may lie before the renewal was asked for: where
     * many leases hang on one session at the store, one call extends them all, and the next to ask need not call
     * again. Whoever counts a lease's time overrides this.
     *
     * @param since read before the call that extended it left this machine
     */
    default void renewedSince(Lease lease, Moment since) {
        answer(lease, Renewal.RENEWED);
    }
}
