package io.distlock.benchmarks;

import io.distlock.benchmarks.Arguments.Suite;
import io.distlock.benchmarks.measure.RunSize;
import io.distlock.benchmarks.report.ComparisonPage;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Figure;
import io.distlock.benchmarks.store.Store;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
        Map<String, List<Figure>> byServer = new LinkedHashMap<>();
        for (int run = 0; run < arguments.runs(); run++) {
            for (Suite suite : arguments.suites()) {
                int before = report.figures().size();
                String server = run(suite, arguments.size(), report);
                List<Figure> figures = report.figures();
                byServer.put(server, figures.subList(before, figures.size()));
            }
        }
        report.summary();
        if (arguments.compare()) {
            new ComparisonPage(Path.of("docs")).write(System.getProperty("benchmarks.origin", "by hand"), byServer);
        }
        Predicate<Figure> failure = arguments.strict() ? Figure::isMissed : Figure::isMissedCount;
        System.exit(report.figures().stream().anyMatch(failure) ? 1 : 0);
    }

    /** Product and version of what was measured. */
    private static String run(Suite suite, RunSize size, Report report) {
        try (Store store = suite.store().get()) {
            introduce(store, size, report);
            suite.measurements().forEach(each -> {
                report.measurement(suite.nameOf(each), each.title());
                Optional<Host.Account> before = Host.account();
                each.run(store, size, report);
                before.flatMap(then -> Host.account().map(now -> now.stolenSince(then)))
                        .ifPresent(report::note);
            });
            return store.server();
        }
    }

    /** What a reader must know in order to compare. */
    private static void introduce(Store store, RunSize size, Report report) {
        var machine = ManagementFactory.getOperatingSystemMXBean();
        report.title("%s, Java %s, %d processors, load %.2f, %s"
                .formatted(
                        store.server(),
                        Runtime.version(),
                        machine.getAvailableProcessors(),
                        machine.getSystemLoadAverage(),
                        size));
    }

    /** Who else uses the processors of a virtual machine: only the kernel knows, and only Linux tells. */
    private static final class Host {

        private static final Path ACCOUNT = Path.of("/proc/stat");
        private static final int STOLEN = 7;

        /** The columns after it are parts of others. */
        private static final int COLUMNS = 8;

        private Host() {}

        /**
         * What the processors have been doing since the machine was started, all of them together.
         *
         * @param stolen ticks in which something here wanted to run and the host ran somebody else
         * @param all all ticks
         */
        record Account(long stolen, long all) {

            /** What has been stolen since an earlier account, for people. */
            String stolenSince(Account earlier) {
                double share = (double) (stolen - earlier.stolen) / Math.max(1, all - earlier.all);
                return String.format(
                        Locale.ROOT, "(the host gave %.0f %% of the processors to others meanwhile)", 100 * share);
            }
        }

        /** Empty on systems that keep none. */
        static Optional<Account> account() {
            if (!Files.isReadable(ACCOUNT)) {
                return Optional.empty();
            }
            try {
                long[] ticks = Arrays.stream(Files.readAllLines(ACCOUNT).get(0).split(" +"))
                        .skip(1)
                        .limit(COLUMNS)
                        .mapToLong(Long::parseLong)
                        .toArray();
                return Optional.of(
                        new Account(ticks[STOLEN], Arrays.stream(ticks).sum()));
            } catch (IOException unreadable) {
                return Optional.empty();
            }
        }
    }
}
