package io.distlock.benchmarks.store;

/** Counts what clients ask of the store's servers. For one thread. */
public interface CommandCount extends AutoCloseable {

    /** How many commands clients have sent since this was made. */
    int soFar();

    @Override
    void close();
}
