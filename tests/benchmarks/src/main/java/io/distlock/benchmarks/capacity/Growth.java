package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.capacity.Cost.ProcessorMicros;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The figures of the last runs, as {@code docs/capacity.csv} has them: a line for each point and burst, after provider, server
 * and origin.
 *
 * @param runs in the order of their providers; several of one provider if parts of it were measured again
 */
record Growth(List<Measured> runs) {

    private static final String BURST = "BURST";
    private static final Pattern PROCESSORS = Pattern.compile("(\\d+) processors");

    Growth {
        runs = runs.stream().sorted(Comparator.comparing(Measured::provider)).toList();
    }

    /** These, and from an earlier run what these do not have: other providers, and their other curves. */
    Growth and(Growth earlier) {
        Stream<Measured> kept = earlier.runs.stream()
                .map(each -> each.without(
                        measured(each.provider()), !bursts(each.provider()).isEmpty()))
                .filter(each -> !each.points.isEmpty() || !each.bursts.isEmpty());
        return new Growth(Stream.concat(runs.stream(), kept).toList());
    }

    private Set<Curve> measured(String provider) {
        return of(provider)
                .flatMap(each -> each.points.stream())
                .map(Point::curve)
                .collect(Collectors.toSet());
    }

    List<String> providers() {
        return runs.stream().map(Measured::provider).distinct().toList();
    }

    private Stream<Measured> of(String provider) {
        return runs.stream().filter(each -> each.provider().equals(provider));
    }

    /** Of the machine, as its origin says. */
    Optional<Integer> processors(String provider) {
        return of(provider)
                .map(each -> PROCESSORS.matcher(each.origin()))
                .filter(Matcher::find)
                .map(found -> Integer.parseInt(found.group(1)))
                .findFirst();
    }

    /** By ascending sizes. */
    List<Point> points(String provider, Curve curve) {
        return of(provider)
                .flatMap(each -> each.points.stream())
                .filter(point -> point.curve() == curve)
                .sorted(Comparator.comparing(Point::size))
                .toList();
    }

    /** At one size. */
    Optional<Cost> cost(String provider, Curve curve, int size) {
        return points(provider, curve).stream()
                .filter(point -> point.size() == size)
                .map(Point::cost)
                .findFirst();
    }

    List<Burst> bursts(String provider) {
        return of(provider).flatMap(each -> each.bursts.stream()).toList();
    }

    /** Whether a lock was lost. */
    boolean hasLost() {
        return runs.stream()
                .anyMatch(each ->
                        each.points.stream().anyMatch(point -> point.cost().lost() > 0)
                                || each.bursts.stream().anyMatch(burst -> burst.lost() > 0));
    }

    List<String> lines() {
        return runs.stream().flatMap(Measured::lines).toList();
    }

    static Growth parse(List<String> lines) {
        Map<List<String>, Measured> runs = new LinkedHashMap<>();
        for (String line : lines) {
            List<String> words = List.of(line.split(";", -1));
            Measured run = runs.computeIfAbsent(
                    words.subList(0, 3),
                    key -> new Measured(key.get(0), key.get(1), key.get(2), new ArrayList<>(), new ArrayList<>()));
            List<String> figures = words.subList(3, words.size());
            if (figures.get(0).equals(BURST)) {
                run.bursts.add(Burst.parse(figures));
            } else {
                run.points.add(Point.parse(figures));
            }
        }
        return new Growth(List.copyOf(runs.values()));
    }

    /**
     * One provider's figures.
     *
     * @param server product and version
     * @param origin date, commit, and how busy the machine was
     */
    record Measured(String provider, String server, String origin, List<Point> points, List<Burst> bursts) {

        private Measured without(Set<Curve> curves, boolean noBursts) {
            return new Measured(
                    provider,
                    server,
                    origin,
                    points.stream()
                            .filter(point -> !curves.contains(point.curve()))
                            .toList(),
                    noBursts ? List.of() : bursts);
        }

        private Stream<String> lines() {
            return Stream.concat(
                            points.stream().map(Point::line), bursts.stream().map(Burst::line))
                    .map(figures -> String.join(";", provider, server, origin, figures));
        }
    }

    /**
     * One point of a curve.
     *
     * @param size how many clients, keys, locks or waiters
     */
    record Point(Curve curve, int size, Cost cost) {

        private static final int WITH_PROCESSOR = 11;

        private String line() {
            return String.join(
                    ";",
                    curve.name(),
                    Integer.toString(size),
                    Double.toString(cost.perSecond()),
                    Double.toString(cost.p50Millis()),
                    Double.toString(cost.p99Millis()),
                    Long.toString(cost.heapBytes()),
                    Double.toString(cost.commands()),
                    Integer.toString(cost.connections()),
                    Integer.toString(cost.lost()),
                    Double.toString(cost.processor().servers()),
                    Double.toString(cost.processor().clients()));
        }

        private static Point parse(List<String> words) {
            boolean hasProcessor = words.size() >= WITH_PROCESSOR;
            return new Point(
                    Curve.valueOf(words.get(0)),
                    Integer.parseInt(words.get(1)),
                    new Cost(
                            Double.parseDouble(words.get(2)),
                            Double.parseDouble(words.get(3)),
                            Double.parseDouble(words.get(4)),
                            Long.parseLong(words.get(5)),
                            Double.parseDouble(words.get(6)),
                            Integer.parseInt(words.get(7)),
                            Integer.parseInt(words.get(8)),
                            new ProcessorMicros(
                                    hasProcessor ? Double.parseDouble(words.get(9)) : Double.NaN,
                                    hasProcessor ? Double.parseDouble(words.get(10)) : Double.NaN)));
        }
    }

    /**
     * What became of many locks in a burst of work.
     *
     * @param event what happened
     * @param held how many were held
     * @param lost how many of them were lost
     * @param millisToNewLock from the end of the event until a lock of another key was granted
     */
    record Burst(String event, int held, int lost, long millisToNewLock) {

        private String line() {
            return String.join(
                    ";", BURST, event, Integer.toString(held), Integer.toString(lost), Long.toString(millisToNewLock));
        }

        private static Burst parse(List<String> words) {
            return new Burst(
                    words.get(1),
                    Integer.parseInt(words.get(2)),
                    Integer.parseInt(words.get(3)),
                    Long.parseLong(words.get(4)));
        }
    }
}
