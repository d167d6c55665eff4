package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Store.QuorumStore;
import java.util.List;
import java.util.function.Supplier;

/** One thing that is measured, on any store. */
public interface Measurement {

    /** What to call it on the command line. */
    String name();

    /** What it is about, in a line. */
    String title();

    /** Measures; leaves nothing on the store that a later measurement could notice. */
    void run(Store store, RunSize size, Report report);

    /** On a store of one server. */
    static List<Measurement> all() {
        return List.of(
                new UncontendedCycle(),
                new ParallelCycles(),
                new ManyHeld(),
                new ManyWaiters(),
                new HandOver(),
                new QueueHandOver(),
                new KilledHolder(),
                new TakeOver(),
                new PermitThroughput(),
                new AnnotatedCall(),
                new StartUp(),
                new MeasuredCall());
    }

    /**
     * On a store of several servers that decide together.
     *
     * @param stores starts one more
     */
    static List<Measurement> ofQuorum(Supplier<? extends QuorumStore> stores) {
        return List.of(
                new UncontendedCycle(),
                new ParallelCycles(),
                new ManyHeld(),
                new ManyWaiters(),
                new QueueHandOver(),
                new QueueContention(stores),
                new KilledHolder(),
                new TakeOver(),
                MinorityInTrouble.slowNode(stores),
                MinorityInTrouble.frozenNodes(stores));
    }

    /** On a quorum of another size: only what depends on it. */
    static List<Measurement> ofSmallQuorum() {
        return List.of(new UncontendedCycle(), new ParallelCycles(), new QueueHandOver());
    }

    /** On a database. */
    static List<Measurement> ofDatabase() {
        return List.of(
                new UncontendedCycle(), new ParallelCycles(), new HandOver(), new QueueHandOver(), new TakeOver());
    }

    /** On a store that keeps those who wait in a queue. */
    static List<Measurement> ofQueue() {
        return List.of(
                new UncontendedCycle(),
                new ParallelCycles(),
                new ManyHeld(),
                new QueueHandOver(),
                new QueueContention(),
                new KilledHolder(),
                new TakeOver());
    }

    /** On ZooKeeper: what is compared with Curator. */
    static List<Measurement> ofSessions() {
        return List.of(
                new UncontendedCycle(),
                new ParallelCycles(),
                new ManyHeld(),
                new ManyWaiters(),
                new QueueHandOver(),
                new TakeOver());
    }
}
