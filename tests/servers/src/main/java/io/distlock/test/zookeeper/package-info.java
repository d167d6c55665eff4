/** Real ZooKeeper servers, alone or as an ensemble, that can be frozen, killed, started again and cut off. */
@NullMarked
package io.distlock.test.zookeeper;

import org.jspecify.annotations.NullMarked;
