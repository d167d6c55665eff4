package io.distlock.tck;

import java.time.Duration;

/**
 * Differences between stores, for the contract's tests. Tests of what a store cannot do are reported as skipped.
 *
 * @param fifo whether waiters are served in order of arrival
 * @param shortLease the shortest lease that the store can keep reliably
 * @param freeAfter how much later than its time to live the store may free a key whose holder vanished
 * @param impaired whether the test has removed part of the store, so that it works but needs repair
 * @param sharedMode whether several readers can hold a key together; a provider without this mode fails such acquisitions with
 *     {@link UnsupportedOperationException}
 * @param tellsRemaining whether inspection tells when the store frees a key by itself
 * @param tellsLosses whether the provider reports losses by itself, before the next renewal
 */
public record StoreTraits(
        boolean fifo,
        Duration shortLease,
        Duration freeAfter,
        boolean impaired,
        boolean sharedMode,
        boolean tellsRemaining,
        boolean tellsLosses) {

    /** The traits of an intact store with shared mode that tells how long a key stays taken, and no losses. */
    public StoreTraits(boolean fifo, Duration shortLease, Duration freeAfter) {
        this(fifo, shortLease, freeAfter, false, true, true, false);
    }

    /** The same store with part of it removed. */
    public StoreTraits whenImpaired() {
        return new StoreTraits(fifo, shortLease, freeAfter, true, sharedMode, tellsRemaining, tellsLosses);
    }

    /** A store whose provider has no shared mode. */
    public StoreTraits withoutSharedMode() {
        return new StoreTraits(fifo, shortLease, freeAfter, impaired, false, tellsRemaining, tellsLosses);
    }

    /** A store that does not tell how long a key stays taken. */
    public StoreTraits withoutRemainingTime() {
        return new StoreTraits(fifo, shortLease, freeAfter, impaired, sharedMode, false, tellsLosses);
    }

    /** A store whose provider reports losses by itself. */
    public StoreTraits withToldLosses() {
        return new StoreTraits(fifo, shortLease, freeAfter, impaired, sharedMode, tellsRemaining, true);
    }
}
