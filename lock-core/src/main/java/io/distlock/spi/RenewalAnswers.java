package io.distlock.spi;

/**
 * Takes the answers to a batch of renewals, one lease at a time and as soon as each is known, so that a slow node
 * holds up nobody but the leases it keeps. A lease that is never answered counts as {@link Renewal#UNKNOWN}.
 * Never blocks and never throws; any thread may call it.
 */
@FunctionalInterface
public interface RenewalAnswers {

    void answer(Lease lease, Renewal renewal);
}
