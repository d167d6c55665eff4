package io.distlock.benchmarks.report;

import java.util.Locale;
import java.util.Optional;

/**
 * One number that was measured.
 *
 * @param what what was measured
 * @param value the number
 * @param unit its unit; empty for a plain number
 * @param target what it ought to be; empty if it is shown for information
 */
public record Figure(String what, double value, String unit, Optional<Target> target) {

    /** Whether it has a target, and fails it. */
    public boolean isMissed() {
        return target.isPresent() && !target.get().isMetBy(value);
    }

    /** As {@link #isMissed()}, where the machine cannot be blamed. */
    public boolean isMissedCount() {
        return isMissed()
                && target.filter(each -> each.nature() == Target.Nature.COUNT).isPresent();
    }

    /** One line of a table: what, number and unit, target, verdict. */
    String line() {
        String verdict = target.isEmpty() ? "" : isMissed() ? "missed" : "met";
        String line = String.format(
                Locale.ROOT,
                "  %-58s %12s %-6s %-8s %s",
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
