package io.distlock.benchmarks.measure;

import java.util.List;

/** All of them, in the order in which they run. */
public final class Measurements {

    private Measurements() {}

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
}
