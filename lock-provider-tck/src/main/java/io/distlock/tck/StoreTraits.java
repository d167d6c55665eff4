package io.distlock.tck;

import java.time.Duration;

/**
 * Differences between stores, for the contract's tests.
 *
 * @param fifo whether waiters are served in order of arrival
 * @param shortLease the shortest lease that the store can keep reliably
 * @param freeAfter how much later than its time to live the store may free a key whose holder vanished
 * @param impaired whether the test has removed part of the store, so that it works but needs repair
 */
public record StoreTraits(boolean fifo, Duration shortLease, Duration freeAfter, boolean impaired) {

    /** The traits of an intact store. */
    public StoreTraits(boolean fifo, Duration shortLease, Duration freeAfter) {
        this(fifo, shortLease, freeAfter, false);
    }

    /** The same store with part of it removed. */
    public StoreTraits whenImpaired() {
        return new StoreTraits(fifo, shortLease, freeAfter, true);
    }
}
