package io.distlock.benchmarks.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Prints figures as they come in, and remembers them. For one thread. */
public final class Report {

    private final PrintStream out;
    private final List<Figure> figures = new ArrayList<>();

    public Report(PrintStream out) {
        this.out = out;
    }

    /** Begins a measurement. */
    public void title(String title) {
        out.println();
        out.println(title);
    }

    /** Something that a reader of the figures should know. */
    public void note(String text) {
        out.println("  " + text);
    }

    /** A figure for information. */
    public void figure(String what, double value, String unit) {
        add(new Figure(what, value, unit, Optional.empty()));
    }

    /** A figure with a target. */
    public void figure(String what, double value, String unit, Target target) {
        add(new Figure(what, value, unit, Optional.of(target)));
    }

    /** A figure that has a target on some stores. */
    public void figure(String what, double value, String unit, Optional<Target> target) {
        add(new Figure(what, value, unit, target));
    }

    /** A whole number with a target. */
    public void count(String what, long count, Target target) {
        figure(what, (double) count, "", target);
    }

    private void add(Figure figure) {
        figures.add(figure);
        out.println(figure.line());
        out.flush();
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
    }
}
