package io.distlock.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import io.distlock.benchmarks.measure.Rounds.WarmUp;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Store;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.ScalarResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs JMH so that contestants stay comparable: a turn is one short iteration of one contestant, without a fork, and the
 * contestants take turns in {@link Rounds}. Forks would measure them minutes apart. For one thread.
 */
final class SideBySide {

    private static final String CPU = "cpu";
    private static final String BYTES = "gc.alloc.rate.norm";
    private static final String SERVERS = "servers";

    /** JMH makes its states itself, so it cannot be handed to them. */
    private static volatile @Nullable Contestant onTurn;

    private static volatile @Nullable Store servers;

    private SideBySide() {}

    /**
     * How a turn went. All but the rate are for each cycle.
     *
     * @param nanos the time: the median in {@link Mode#SampleTime}, otherwise the average
     * @param rate cycles per second, of all threads together
     * @param cpuNanos what this process has used of the processors, the driver's threads and the collector included
     * @param bytes what all threads of this process have allocated
     * @param serverNanos what the store's servers have used of the processors
     */
    record Turn(double nanos, double rate, double cpuNanos, double bytes, double serverNanos) {}

    /**
     * Measures, after turns that do not count.
     *
     * @param time of a turn
     */
    static Rounds<Turn> rounds(
            RunSize size,
            int rounds,
            List<Contestant> contestants,
            Mode mode,
            int threads,
            Duration time,
            Report report) {
        WarmUp.rounds(size, contestants, each -> turn(each, mode, threads, time), report);
        return Rounds.of(rounds, contestants, each -> turn(each, mode, threads, time));
    }

    /** Also measures what the servers of a store do meanwhile. */
    static Rounds<Turn> rounds(
            RunSize size,
            int rounds,
            List<Contestant> contestants,
            Mode mode,
            int threads,
            Duration time,
            Store store,
            Report report) {
        servers = store;
        try {
            return rounds(size, rounds, contestants, mode, threads, time, report);
        } finally {
            servers = null;
        }
    }

    static Contestant onTurn() {
        return Objects.requireNonNull(onTurn, "no turn has begun");
    }

    private static Turn turn(Contestant contestant, Mode mode, int threads, Duration time) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(CycleBenchmark.class.getName() + ".cycle")
                .mode(mode)
                .timeUnit(mode == Mode.Throughput ? TimeUnit.SECONDS : TimeUnit.NANOSECONDS)
                .threads(threads)
                .forks(0)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(time.toMillis()))
                .addProfiler(GCProfiler.class)
                .addProfiler(CpuProfiler.class.getName())
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        // Tests of this may run beside a benchmark of somebody else.
        System.setProperty("jmh.ignoreLock", "true");
        onTurn = contestant;
        try {
            return turn(mode, new Runner(options.build()).runSingle());
        } catch (RunnerException failure) {
            throw new IllegalStateException("JMH could not measure " + contestant.name(), failure);
        } finally {
            onTurn = null;
        }
    }

    private static Turn turn(Mode mode, RunResult result) {
        Result<?> primary = result.getPrimaryResult();
        double nanos = mode == Mode.SampleTime ? primary.getStatistics().getPercentile(50) : primary.getScore();
        boolean throughput = mode == Mode.Throughput;
        return new Turn(
                throughput ? Double.NaN : nanos,
                throughput ? primary.getScore() : Double.NaN,
                secondary(result, CPU),
                secondary(result, BYTES),
                secondary(result, SERVERS));
    }

    private static double secondary(RunResult result, String label) {
        Result<?> secondary = result.getSecondaryResults().get(label);
        if (secondary == null) {
            throw new IllegalStateException("JMH has not measured " + label);
        }
        return secondary.getScore();
    }

    /** Processor time of the whole process for each cycle. JMH makes it, by its name. */
    public static final class CpuProfiler implements InternalProfiler {

        private static final OperatingSystemMXBean PROCESS =
                (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

        private long before;
        private double serversBefore;

        private static double servers() {
            Store store = servers;
            return store == null ? Double.NaN : store.work().cpuNanos();
        }

        @Override
        public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
            serversBefore = servers();
            before = PROCESS.getProcessCpuTime();
        }

        @Override
        public Collection<? extends Result<?>> afterIteration(
                BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
            double used = PROCESS.getProcessCpuTime() - before;
            long cycles = result.getMetadata().getAllOps();
            double servers = servers() - serversBefore;
            return List.of(
                    new ScalarResult(CPU, used / cycles, "ns/op", AggregationPolicy.AVG),
                    new ScalarResult(SERVERS, servers / cycles, "ns/op", AggregationPolicy.AVG));
        }

        @Override
        public String getDescription() {
            return "processor time for each operation";
        }
    }
}
