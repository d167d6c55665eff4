package io.distlock.benchmarks.store;

import java.time.Duration;
import java.util.List;

/**
 * A lock store under measurement: real servers of its own, our client on them, and the bare driver to compare with.
 * Closing it ends the servers. For one thread.
 */
public interface Store extends AutoCloseable {

    /** The provider's name. */
    String name();

    /** What runs: product and version. */
    String server();

    /** How many servers there are. */
    int servers();

    /** What is asked of our client. */
    Targets targets();

    /** A new application on it, connected. */
    Application application();

    /**
     * A new application for which the store is further away.
     *
     * @param distance how much longer each answer takes
     */
    Application distantApplication(Duration distance);

    /** The bare driver, doing the same commands as our client on a connection that is set up in the same way. */
    Contender driver();

    /** Other libraries' locks on the same store, as they come. */
    List<Contender> peers();

    /** Starts to count commands. */
    CommandCount countCommands();

    /** The driver's shortest question. */
    RoundTrip roundTrip();

    /** What a new JVM is to run, class and arguments, in order to be a neighbour on this store. */
    List<String> neighbour();

    @Override
    void close();
}
