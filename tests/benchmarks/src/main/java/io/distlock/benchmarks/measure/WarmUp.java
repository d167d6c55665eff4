package io.distlock.benchmarks.measure;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.Function;

/**
 * Rounds that do not count, until the compiler has little left to do. It would be measured otherwise, and whoever brings
 * more code would pay for it: on a busy machine it needs ten times as long as on an idle one.
 */
final class WarmUp {

    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

    /** Of one processor, in each of the last rounds. */
    private static final double LITTLE = 0.03;

    private static final int CALM_ROUNDS = 2;

    private WarmUp() {}

    static <C> void rounds(Effort effort, List<C> contenders, Function<C, ?> turn) {
        int least = effort.of(6, 6, 1);
        int most = effort.of(60, 40, 1);
        int calm = 0;
        for (int round = 0; round < most && (round < least || calm < CALM_ROUNDS); round++) {
            calm = compilingDuring(contenders, turn) < LITTLE ? calm + 1 : 0;
        }
    }

    private static <C> double compilingDuring(List<C> contenders, Function<C, ?> turn) {
        double before = COMPILER.getTotalCompilationTime();
        Stopwatch watch = Stopwatch.start();
        Rounds.of(1, contenders, turn);
        return (COMPILER.getTotalCompilationTime() - before) / Stopwatch.millis((double) watch.nanos());
    }
}
