package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.store.Contestant;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;

/** Cycles of the contestant whose turn it is, on items that are this thread's own; {@link SideBySide} runs it. */
@State(Scope.Thread)
public class CycleBenchmark {

    private final Contestant contestant = SideBySide.onTurn();
    private int first;
    private int items;
    private int next;

    /** Gives each thread its share of the items. */
    @Setup(Level.Iteration)
    public void share(ThreadParams threads) {
        items = Contestant.ITEMS / threads.getThreadCount();
        first = threads.getThreadIndex() * items;
    }

    /** What is measured. */
    @Benchmark
    public void cycle() {
        contestant.cycle(first + next);
        next = next + 1 < items ? next + 1 : 0;
    }
}
