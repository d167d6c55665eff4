package io.distlock.zookeeper;

import io.distlock.spi.LeaseRequest;

/**
 * A node in a lock's queue that was certainly made.
 *
 * @param node its name and number
 * @param czxid the transaction that made it, which is the fencing token
 * @param madeMillis when it was made by the leader's clock
 * @param madeNanos when that was known here
 */
record QueuePlace(
        LeaseRequest request,
        ZooKeeperSession session,
        String queue,
        QueueNode node,
        long czxid,
        long madeMillis,
        long madeNanos) {

    String path() {
        return queue + '/' + node.name();
    }
}
