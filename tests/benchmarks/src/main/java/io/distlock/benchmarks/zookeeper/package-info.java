/** ZooKeeper: our locks on it, Curator's recipe, and the bare driver. */
@NullMarked
package io.distlock.benchmarks.zookeeper;

import org.jspecify.annotations.NullMarked;
