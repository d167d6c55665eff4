package io.distlock.benchmarks.store;

/** The shortest question that the store's bare driver can ask: the unit in which waits are measured. For one thread. */
public interface RoundTrip extends AutoCloseable {

    /** Asks, and waits for the answer. */
    void ask();

    @Override
    void close();
}
