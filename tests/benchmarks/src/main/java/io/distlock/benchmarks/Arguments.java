package io.distlock.benchmarks;

import io.distlock.benchmarks.measure.Effort;
import java.util.ArrayList;
import java.util.List;

/**
 * What was asked for on the command line.
 *
 * @param effort how much to measure
 * @param strict whether missed timings are a failure, too
 * @param suites what to measure, on which stores
 */
record Arguments(Effort effort, boolean strict, List<Suite> suites) {

    /**
     * Understands a command line.
     *
     * @param known all measurements there are; if none is named, all are asked for
     * @throws IllegalArgumentException if something on it is not understood, with what would be
     */
    static Arguments parse(List<Suite> known, String... words) {
        Effort effort = Effort.FULL;
        boolean strict = false;
        List<String> names = new ArrayList<>();
        for (String word : words) {
            switch (word) {
                case "--quick" -> effort = Effort.QUICK;
                case "--strict" -> strict = true;
                default -> names.add(requireKnown(word, known));
            }
        }
        return new Arguments(effort, strict, names.isEmpty() ? known : only(names, known));
    }

    private static String requireKnown(String name, List<Suite> known) {
        if (known.stream().noneMatch(suite -> suite.has(name))) {
            throw new IllegalArgumentException("not understood: " + name + "\n" + usage(known));
        }
        return name;
    }

    private static List<Suite> only(List<String> names, List<Suite> known) {
        return known.stream()
                .map(suite -> suite.only(names))
                .filter(suite -> !suite.measurements().isEmpty())
                .toList();
    }

    private static String usage(List<Suite> known) {
        StringBuilder usage = new StringBuilder("usage: scripts/benchmarks [--quick] [--strict] [name ...]\n");
        known.forEach(suite -> suite.measurements()
                .forEach(each -> usage.append(String.format("  %-22s %s%n", suite.nameOf(each), each.title()))));
        return usage.toString().stripTrailing();
    }
}
