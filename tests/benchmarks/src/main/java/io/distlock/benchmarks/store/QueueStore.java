package io.distlock.benchmarks.store;

import java.util.List;

/** A store that keeps those who wait for a lock in a queue. */
public interface QueueStore extends Store {

    /** The bare driver, keeping the same queue by the same requests and waiting in the same way. */
    Rivals driverQueue();

    /** Other libraries' locks on the same store, as they come. */
    List<Rivals> peerQueues();
}
