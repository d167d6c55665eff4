package io.distlock.spi;

/**
 * Takes the answers to a batch of renewals, each as soon as it is known, so that a slow node delays only its own leases. A
 * lease without an answer counts as {@link Renewal#UNKNOWN}. Never blocks and never throws; any thread may call it.
 */
@FunctionalInterface
public interface RenewalAnswers {

    void answer(Lease lease, Renewal renewal);

    /**
     * The lease runs for its whole time from this moment, which may precede the request: if leases share a session at the
     * store, one call extends them all. To be overridden where a lease's time is counted.
     *
     * @param since read before the call that extended it left this machine
     */
    default void renewedSince(Lease lease, Moment since) {
        answer(lease, Renewal.RENEWED);
    }
}
