package io.distlock.benchmarks;

import io.distlock.benchmarks.measure.Effort;
import io.distlock.benchmarks.report.Figure;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.store.Store;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.function.Predicate;

/** Runs measurements and prints their figures; see the README beside the sources. */
public final class Benchmarks {

    private static final int NOT_UNDERSTOOD = 2;

    private Benchmarks() {}

    /**
     * Ends with 1 if a target is missed that does not depend on the machine, or, with {@code --strict}, any target.
     */
    public static void main(String[] words) {
        Arguments arguments;
        try {
            arguments = Arguments.parse(Suite.all(), words);
        } catch (IllegalArgumentException notUnderstood) {
            System.err.println(notUnderstood.getMessage());
            System.exit(NOT_UNDERSTOOD);
            return;
        }
        Report report = new Report(System.out);
        arguments.suites().forEach(suite -> run(suite, arguments.effort(), report));
        report.summary();
        Predicate<Figure> failure = arguments.strict() ? Figure::isMissed : Figure::isMissedCount;
        System.exit(report.figures().stream().anyMatch(failure) ? 1 : 0);
    }

    private static void run(Suite suite, Effort effort, Report report) {
        try (Store store = suite.store().get()) {
            introduce(store, effort, report);
            suite.measurements().forEach(each -> {
                report.title(suite.nameOf(each) + ": " + each.title());
                Optional<Host.Account> before = Host.account();
                each.run(store, effort, report);
                before.flatMap(then -> Host.account().map(now -> now.stolenSince(then)))
                        .ifPresent(report::note);
            });
        }
    }

    /** What a reader must know in order to compare. */
    private static void introduce(Store store, Effort effort, Report report) {
        var machine = ManagementFactory.getOperatingSystemMXBean();
        report.title("%s, Java %s, %d processors, load %.2f, %s"
                .formatted(
                        store.server(),
                        Runtime.version(),
                        machine.getAvailableProcessors(),
                        machine.getSystemLoadAverage(),
                        effort));
    }
}
