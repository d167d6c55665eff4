package io.distlock.benchmarks.store;

/**
 * One way to take a lock and to give it back, to be measured beside others. Thread-safe: cycles on different items may
 * run at the same time.
 */
public interface Contestant extends AutoCloseable {

    /** How many items a cycle may be asked for. */
    int ITEMS = 1_024;

    /** Whose way it is. */
    String name();

    /**
     * Takes the lock of an item, which nobody else wants, and gives it back; waits for the answer to each.
     *
     * @param item 0 to {@link #ITEMS}, exclusive
     */
    void cycle(int item);

    @Override
    void close();
}
