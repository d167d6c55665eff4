/** The auto-configuration of locks in ZooKeeper. */
@NullMarked
package io.distlock.zookeeper.autoconfigure;

import org.jspecify.annotations.NullMarked;
