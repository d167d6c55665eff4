package io.distlock.benchmarks.measure;

import java.util.List;

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
                new AnnotatedCall());
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
