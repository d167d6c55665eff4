package io.distlock.test.contract;

import java.time.Duration;

/**
 * In what stores differ, for the contract's tests.
 *
 * @param fifo whether those who wait are served in the order in which they came
 * @param shortLease a lease that is as short as the store can keep in earnest
 * @param freeAfter how much later than its time to live the store may free a key whose holder vanished
 */
public record StoreTraits(boolean fifo, Duration shortLease, Duration freeAfter) {}
