package io.distlock.benchmarks.store;

import java.time.Duration;

/** A store of several servers that works while a minority of them does not. */
public interface QuorumStore extends Store {

    /**
     * A new application for which one server is further away than the others.
     *
     * @param distance how much longer each answer of that server takes
     */
    Application applicationWithASlowServer(Duration distance);

    /** A new application, and as many servers frozen after it has connected as it can do without. They stay frozen. */
    Application applicationWithFrozenServers();
}
