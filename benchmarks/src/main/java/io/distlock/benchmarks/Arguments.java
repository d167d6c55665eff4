package io.distlock.benchmarks;

import io.distlock.benchmarks.measure.Effort;
import io.distlock.benchmarks.measure.Measurement;
import java.util.ArrayList;
import java.util.List;

/**
 * What was asked for on the command line.
 *
 * @param effort how much to measure
 * @param strict whether missed timings are a failure, too
 * @param measurements what to measure
 */
record Arguments(Effort effort, boolean strict, List<Measurement> measurements) {

    /**
     * Understands a command line.
     *
     * @param known all measurements there are; if none is named, all are asked for
     * @throws IllegalArgumentException if something on it is not understood, with what would be
     */
    static Arguments parse(List<Measurement> known, String... words) {
        Effort effort = Effort.FULL;
        boolean strict = false;
        List<Measurement> measurements = new ArrayList<>();
        for (String word : words) {
            switch (word) {
                case "--quick" -> effort = Effort.QUICK;
                case "--strict" -> strict = true;
                default -> measurements.add(named(word, known));
            }
        }
        return new Arguments(effort, strict, measurements.isEmpty() ? known : List.copyOf(measurements));
    }

    private static Measurement named(String name, List<Measurement> known) {
        return known.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("not understood: " + name + "\n" + usage(known)));
    }

    private static String usage(List<Measurement> known) {
        StringBuilder usage = new StringBuilder("usage: scripts/benchmarks [--quick] [--strict] [name ...]\n");
        known.forEach(each -> usage.append(String.format("  %-14s %s%n", each.name(), each.title())));
        return usage.toString().stripTrailing();
    }
}
