package io.distlock.samples.flashsale;

import io.distlock.LockKey;

/**
 * One sale, which offers one item.
 *
 * @param itemId the item, of this sale only, so that sellers who are late for an earlier sale do no harm in this one
 * @param initialStock how many pieces there are
 * @param withLock how it is sold
 * @param fenced whether the database refuses sellers whose lock is another's by now
 */
record Sale(long itemId, int initialStock, boolean withLock, boolean fenced) {

    LockKey lockKey() {
        return LockKey.of(Shop.LOCK_NAME, Long.toString(itemId));
    }
}
