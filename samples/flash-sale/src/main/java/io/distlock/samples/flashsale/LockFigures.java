package io.distlock.samples.flashsale;

/**
 * What one instance has seen of a sale's lock.
 *
 * @param acquired how often it got the lock
 * @param notAcquired how often it gave up, because others had the lock for the whole wait time
 * @param failed how often the store did not answer, or the lock was lost
 * @param waitMillis how long it waited for the lock
 * @param holdMillis how long it held the lock
 */
record LockFigures(int acquired, int notAcquired, int failed, Spread waitMillis, Spread holdMillis) {}
