package io.distlock.benchmarks.report;

import io.distlock.benchmarks.report.Report.Figure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One way to lock, measured on a store beside others: a line of the file that is kept, and a row of the page's table.
 *
 * @param server product and version
 * @param who whose way it is
 * @param values what was measured of it
 */
record Comparison(String server, String who, Map<Kind, Double> values) {

    /** As our own way is called in all measurements. */
    static final String OURS = "distlock";

    private static final String SEPARATOR = ";";
    private static final int NAMES = 2;

    /** What ways to lock are compared by; each figure's name begins as given and ends with who it is of. */
    enum Kind {
        CYCLE("p50, ", "µs"),
        THROUGHPUT("cycles per second, ", "/s"),
        HAND_OVER("hand-over, median, ", "µs");

        private final String prefix;
        private final String unit;

        Kind(String prefix, String unit) {
            this.prefix = prefix;
            this.unit = unit;
        }
    }

    Comparison {
        values = Map.copyOf(values);
    }

    /** Of the figures of one store, in the order in which they first appear. */
    static List<Comparison> of(String server, List<Figure> figures) {
        Map<String, Map<Kind, Double>> byWho = new LinkedHashMap<>();
        for (Figure figure : figures) {
            for (Kind kind : Kind.values()) {
                if (figure.what().startsWith(kind.prefix)) {
                    String who = figure.what().substring(kind.prefix.length());
                    byWho.computeIfAbsent(who, first -> new EnumMap<>(Kind.class))
                            .put(kind, figure.value());
                }
            }
        }
        List<Comparison> all = new ArrayList<>();
        byWho.forEach((who, values) -> all.add(new Comparison(server, who, values)));
        return all;
    }

    static Comparison parse(String line) {
        String[] words = line.split(SEPARATOR, -1);
        if (words.length != NAMES + Kind.values().length) {
            throw new IllegalArgumentException("not a comparison: " + line);
        }
        Iterator<String> rest = Arrays.asList(words).listIterator(NAMES);
        Map<Kind, Double> values = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            String word = rest.next();
            if (!word.isEmpty()) {
                values.put(kind, Double.valueOf(word));
            }
        }
        return new Comparison(words[0], words[1], values);
    }

    String line() {
        StringBuilder line = new StringBuilder(server).append(SEPARATOR).append(who);
        for (Kind kind : Kind.values()) {
            line.append(SEPARATOR).append(get(kind).map(Comparison::rounded).orElse(""));
        }
        return line.toString();
    }

    boolean isOurs() {
        return who.equals(OURS);
    }

    Optional<Double> get(Kind kind) {
        return Optional.ofNullable(values.get(kind));
    }

    /** A cell of the table. */
    String cell(Kind kind) {
        return get(kind)
                .map(each -> String.format(Locale.ROOT, "%,.0f ", each) + kind.unit)
                .map(each -> isOurs() ? "**" + each + "**" : each)
                .orElse("");
    }

    private static String rounded(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
