package io.distlock.tck;

import java.time.Duration;

/**
 * In what stores differ, for the contract's tests.
 *
 * @param fifo whether those who wait are served in the order in which they came
 * @param shortLease a lease that is as short as the store can keep in earnest
 * @param freeAfter how much later than its time to live the store may free a key whose holder vanished
 * @param impaired whether the test has taken part of the store away, so that it works, but should be mended
 */
public record StoreTraits(boolean fifo, Duration shortLease, Duration freeAfter, boolean impaired) {

    /** Of a store that is whole. */
    public StoreTraits(boolean fifo, Duration shortLease, Duration freeAfter) {
        this(fifo, shortLease, freeAfter, false);
    }

    /** The same with part of it taken away. */
    public StoreTraits whenImpaired() {
        return new StoreTraits(fifo, shortLease, freeAfter, true);
    }
}
