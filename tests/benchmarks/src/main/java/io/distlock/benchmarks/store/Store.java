package io.distlock.benchmarks.store;

import io.distlock.benchmarks.report.Report.Target;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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
    Contestant driver();

    /** Other libraries' locks on the same store, as they come. */
    List<Contestant> peers();

    /** Starts to count commands. */
    CommandCount countCommands();

    /** The driver's shortest question. */
    RoundTrip roundTrip();

    /** What a new JVM is to run, class and arguments, in order to be a neighbour on this store. */
    List<String> neighbour();

    @Override
    void close();

    /** Counts what clients ask of the store's servers. For one thread. */
    interface CommandCount extends AutoCloseable {

        /** How many commands clients have sent since this was made. */
        int soFar();

        @Override
        void close();
    }

    /** The shortest question that the store's bare driver can ask: the unit in which waits are measured. For one thread. */
    interface RoundTrip extends AutoCloseable {

        /** Asks, and waits for the answer. */
        void ask();

        @Override
        void close();
    }

    /** A store that keeps those who wait for a lock in a queue. */
    interface QueueStore extends Store {

        /** The bare driver, keeping the same queue by the same requests and waiting in the same way. */
        Rivals driverQueue();

        /** Other libraries' locks on the same store, as they come. */
        List<Rivals> peerQueues();
    }

    /** A store of several servers that works while a minority of them does not. */
    interface QuorumStore extends Store {

        /**
         * A new application for which one server is further away than the others.
         *
         * @param distance how much longer each answer of that server takes
         */
        Application applicationWithASlowServer(Duration distance);

        /** A new application, and as many servers frozen after it has connected as it can do without. They stay frozen. */
        Application applicationWithFrozenServers();
    }

    /**
     * What is asked of our client on a store. Ratios are to the bare driver in the same run.
     *
     * @param commands of a cycle that nobody disturbs, counted at all servers
     * @param p50 ratio of the times of such a cycle
     * @param throughput ratio, with many threads
     * @param cpu ratio for each cycle, with many threads
     * @param heap bytes for each lock that is held
     * @param renewals commands per second and server, for 10,000 locks with a lease of 30 s
     * @param late how long after the end of its time to live a lock whose holder was killed is had at the latest
     */
    record Targets(
            Target commands,
            Target p50,
            Target throughput,
            Optional<Target> cpu,
            Optional<Target> heap,
            int renewals,
            Duration late) {

        private static final int RENEWALS = 60;
        private static final Duration LATE = Duration.ofMillis(500);

        /** For a store that renews locks one by one, and frees them as soon as their time is over. */
        public Targets(Target commands, Target p50, Target throughput, Optional<Target> cpu, Optional<Target> heap) {
            this(commands, p50, throughput, cpu, heap, RENEWALS, LATE);
        }
    }
}
