package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.store.QuorumStore;
import java.util.List;
import java.util.function.Supplier;

/** All of them, in the order in which they run. */
public final class Measurements {

    private Measurements() {}

    /** On a store of one server. */
    public static List<Measurement> all() {
        return List.of(
                new UncontendedCycle(),
                new ParallelCycles(),
                new ManyHeld(),
                new ManyWaiters(),
                new HandOver(),
                new KilledHolder(),
                new AnnotatedCall(),
                new MeasuredCall());
    }

    /**
     * On a store of several servers that decide together.
     *
     * @param stores starts one more
     */
    public static List<Measurement> ofQuorum(Supplier<? extends QuorumStore> stores) {
        return List.of(
                new UncontendedCycle(),
                new ParallelCycles(),
                new ManyHeld(),
                new ManyWaiters(),
                new KilledHolder(),
                MinorityInTrouble.slowNode(stores),
                MinorityInTrouble.frozenNodes(stores));
    }

    /** On a store that keeps those who wait in a queue. */
    public static List<Measurement> ofQueue() {
        return List.of(
                new UncontendedCycle(),
                new ParallelCycles(),
                new ManyHeld(),
                new QueueHandOver(),
                new QueueContention(),
                new KilledHolder());
    }
}
