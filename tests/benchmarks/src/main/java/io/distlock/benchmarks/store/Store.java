package io.distlock.benchmarks.store;

import io.distlock.benchmarks.report.Report.Target;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A lock store under measurement: real servers of its own, our client on them, and the bare driver to compare with.
 * Closing it ends the servers. For one thread.
 */
public interface Store extends LockServers {

    /** The provider's name. */
    String name();

    /** What runs: product and version. */
    String server();

    /** How many servers there are. */
    int servers();

    /** What is asked of our client. */
    Targets targets();

    /** What is asked of our client beside one of the peers, if anything is. */
    default Optional<PeerTargets> peerTargets() {
        return Optional.empty();
    }

    /** The longest hand-over to another JVM, where it is not counted in round trips: a commit is more than one. */
    default Optional<Target> handOverMicros() {
        return Optional.empty();
    }

    /**
     * A new application for which the store is further away.
     *
     * @param distance how much longer each answer takes
     */
    default Application distantApplication(Duration distance) {
        List<FaultProxy> proxies = new ArrayList<>();
        Application application = applicationThrough(proxies);
        proxies.forEach(proxy -> proxy.delayReplies(distance));
        return application;
    }

    /**
     * A new application on it that is connected through proxies, one for each server, which are closed with it.
     *
     * @param proxies where to put them
     */
    Application applicationThrough(List<FaultProxy> proxies);

    /**
     * What our client is compared with: the bare driver, doing the same commands on a connection that is set up in the same way;
     * or what users of the store have instead.
     */
    Contestant driver();

    /** Other libraries' locks on the same store, as they come. */
    List<Contestant> peers();

    /** What the servers have done so far, what scripts and requests did inside them included. */
    ServerWork work();

    /** Other ways to hand a lock from client to client on the same store; ours is compared with the first of them. */
    List<Rivals> rivals();

    /** The driver's shortest question. */
    RoundTrip roundTrip();

    /** What a new JVM is to run, class and arguments, in order to be a neighbour on this store. */
    List<String> neighbour();

    /**
     * What is asked of our client beside another library. Ratios in the same run.
     *
     * @param peer its name
     * @param p50 of the times of a cycle
     * @param throughput with many threads
     */
    record PeerTargets(String peer, Target p50, Target throughput) {}

    /** The shortest question that the store's bare driver can ask: the unit in which waits are measured. For one thread. */
    interface RoundTrip extends AutoCloseable {

        /** Asks, and waits for the answer. */
        void ask();

        @Override
        void close();
    }

    /**
     * What servers have done since they were started.
     *
     * @param commands that they ran
     * @param cpuNanos of their processes
     */
    record ServerWork(double commands, double cpuNanos) {

        /** The difference. */
        public ServerWork since(ServerWork before) {
            return new ServerWork(commands - before.commands, cpuNanos - before.cpuNanos);
        }
    }

    /** A store of several servers that works while a minority of them does not. */
    interface QuorumStore extends Store {

        /**
         * A new application for which one server is further away than the others.
         *
         * @param distance how much longer each answer of that server takes
         */
        Application applicationWithASlowServer(Duration distance);

        /** Freezes as many servers as applications can do without, but that are connected to them. They stay frozen. */
        void freezeMinority();
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
     * @param server of what the servers do
     */
    record Targets(
            Target commands,
            Target p50,
            Target throughput,
            Optional<Target> cpu,
            Optional<Target> heap,
            int renewals,
            Duration late,
            ServerTargets server) {

        private static final int RENEWALS = 60;
        private static final Duration LATE = Duration.ofMillis(500);

        /** For a store that renews locks one by one, and frees them as soon as their time is over. */
        public Targets(
                Target commands,
                Target p50,
                Target throughput,
                Optional<Target> cpu,
                Optional<Target> heap,
                ServerTargets server) {
            this(commands, p50, throughput, cpu, heap, RENEWALS, LATE, server);
        }
    }

    /**
     * What is asked of our client where the work of servers and waiters counts.
     *
     * @param commands that the servers run for a cycle, scripts included
     * @param cpu of the servers for a cycle with many threads, relative to cycles of the bare driver
     * @param held commands that the servers run per second and server, for 10,000 locks with a lease of 30 s
     * @param handOver the time of one, relative to the first of the rivals
     * @param messages for a hand-over: client commands
     * @param grants per second, of clients that all want one lock
     */
    record ServerTargets(
            Optional<Target> commands,
            Optional<Target> cpu,
            Optional<Target> held,
            Optional<Target> handOver,
            Optional<Target> messages,
            Optional<Target> grants) {}
}
