/** Locks in ZooKeeper. Start at {@link io.distlock.zookeeper.ZooKeeperLockProvider}. */
@NullMarked
package io.distlock.zookeeper;

import org.jspecify.annotations.NullMarked;
