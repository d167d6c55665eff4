package io.distlock.benchmarks.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Prints figures as they come in, and remembers them. For one thread. */
public final class Report {

    private final PrintStream out;
    private final List<Figure> figures = new ArrayList<>();
    private String measurement = "";

    public Report(PrintStream out) {
        this.out = out;
    }

    /** Begins a measurement. */
    public void title(String title) {
        out.println();
        out.println(title);
    }

    /** Begins a measurement, whose name its figures get in the summary. */
    public void measurement(String name, String title) {
        measurement = name;
        title(name + ": " + title);
    }

    /** Something that a reader of the figures should know. */
    public void note(String text) {
        out.println("  " + text);
    }

    /** A figure for information. */
    public void figure(String what, double value, String unit) {
        figure(what, value, unit, Optional.empty());
    }

    /** A figure with a target. */
    public void figure(String what, double value, String unit, Target target) {
        figure(what, value, unit, Optional.of(target));
    }

    /** A figure that has a target on some stores. */
    public void figure(String what, double value, String unit, Optional<Target> target) {
        Figure figure = new Figure(measurement, what, value, unit, target);
        figures.add(figure);
        out.println(figure.line());
        out.flush();
    }

    /** A whole number with a target. */
    public void count(String what, long count, Target target) {
        figure(what, (double) count, "", target);
    }

    /** All figures so far. */
    public List<Figure> figures() {
        return List.copyOf(figures);
    }

    /** How many targets there were, and which were missed. */
    public void summary() {
        List<Figure> missed = figures.stream().filter(Figure::isMissed).toList();
        long targets =
                figures.stream().filter(figure -> figure.target().isPresent()).count();
        title("%d of %d targets met".formatted(targets - missed.size(), targets));
        missed.forEach(figure -> note("missed: " + figure.what()));
        Map<String, List<Figure>> runs = figures.stream()
                .collect(Collectors.groupingBy(
                        figure -> figure.measurement() + ": " + figure.what(),
                        LinkedHashMap::new,
                        Collectors.toList()));
        if (runs.values().stream().anyMatch(each -> each.size() > 1)) {
            title("The median of all runs, and the least and the most");
            runs.forEach((name, each) -> out.println(Figure.spread(name, each)));
        }
    }

    /**
     * One number that was measured.
     *
     * @param measurement the measurement that it is a part of
     * @param what what was measured
     * @param value the number
     * @param unit its unit; empty for a plain number
     * @param target what it ought to be; empty if it is shown for information
     */
    public record Figure(String measurement, String what, double value, String unit, Optional<Target> target) {

        /** Whether it has a target, and fails it. */
        public boolean isMissed() {
            return target.isPresent() && !target.get().isMetBy(value);
        }

        /** As {@link #isMissed()}, where the machine cannot be blamed. */
        public boolean isMissedCount() {
            return isMissed()
                    && target.filter(each -> each.nature() == Target.Nature.COUNT)
                            .isPresent();
        }

        /** One line for the same figure of several runs. */
        static String spread(String name, List<Figure> runs) {
            double[] values = runs.stream().mapToDouble(Figure::value).sorted().toArray();
            Figure middle = runs.get(0).withValue(values[values.length / 2]);
            return "%s  (%s to %s)"
                    .formatted(
                            new Figure("", name, middle.value, middle.unit, middle.target).line(),
                            middle.withValue(values[0]).number(),
                            middle.withValue(values[values.length - 1]).number());
        }

        private Figure withValue(double other) {
            return new Figure(measurement, what, other, unit, target);
        }

        /** One line of a table: what, number and unit, target, verdict. */
        String line() {
            String verdict = target.isEmpty() ? "" : isMissed() ? "missed" : "met";
            String line = String.format(
                    Locale.ROOT,
                    "  %-70s %12s %-6s %-8s %s",
                    what,
                    number(),
                    unit,
                    target.map(Target::toString).orElse(""),
                    verdict);
            return line.stripTrailing();
        }

        /** Three digits are enough for whoever compares; whole numbers are shown whole. */
        private String number() {
            double size = Math.abs(value);
            int digits = value == Math.rint(value) || size >= 1_000 ? 0 : size >= 100 ? 1 : size >= 0.01 ? 2 : 5;
            return String.format(Locale.ROOT, "%,." + digits + "f", value);
        }
    }

    /**
     * What a figure ought to be.
     *
     * @param comparison how the figure relates to the bound
     * @param bound the bound, itself allowed
     * @param nature whether the machine may be blamed if it is missed
     */
    public record Target(Comparison comparison, double bound, Nature nature) {

        /** How a figure relates to its bound. */
        public enum Comparison {
            AT_MOST("≤"),
            AT_LEAST("≥"),
            EXACTLY("=");

            private final String sign;

            Comparison(String sign) {
                this.sign = sign;
            }
        }

        /** What a figure depends on. */
        public enum Nature {

            /** The same on every machine: commands, threads, losses. */
            COUNT,

            /** Depends on the machine, and on what else it does at the time. */
            TIMING
        }

        /** A count that is to be exactly this. */
        public static Target exactly(double count) {
            return new Target(Comparison.EXACTLY, count, Nature.COUNT);
        }

        /** A count that is to be this or less. */
        public static Target countAtMost(double bound) {
            return new Target(Comparison.AT_MOST, bound, Nature.COUNT);
        }

        /** A time, or a ratio of times, that is to be this or less. */
        public static Target atMost(double bound) {
            return new Target(Comparison.AT_MOST, bound, Nature.TIMING);
        }

        /** A rate, or a ratio of rates, that is to be this or more. */
        public static Target atLeast(double bound) {
            return new Target(Comparison.AT_LEAST, bound, Nature.TIMING);
        }

        /** False for what is no number, too: what could not be measured has not been reached. */
        boolean isMetBy(double value) {
            return switch (comparison) {
                case AT_MOST -> value <= bound;
                case AT_LEAST -> value >= bound;
                case EXACTLY -> value == bound;
            };
        }

        @Override
        public String toString() {
            boolean whole = bound == Math.rint(bound);
            return comparison.sign + ' ' + String.format(Locale.ROOT, whole ? "%.0f" : "%.2f", bound);
        }
    }
}
