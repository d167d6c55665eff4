package io.distlock.benchmarks.store;

/** One of several clients that want the same lock, with a connection of its own. For one thread. */
public interface Rival extends AutoCloseable {

    /** Waits until it has the lock; what gives it back, and waits until that is done. */
    Runnable take();

    @Override
    void close();
}
