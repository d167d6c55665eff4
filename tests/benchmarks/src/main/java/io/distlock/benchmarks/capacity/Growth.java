package io.distlock.benchmarks.capacity;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The figures of the last runs, as {@code docs/capacity.csv} has them: a line for each point and burst, after provider, server
 * and origin.
 *
 * @param stores one for each provider, in the order of their names
 */
record Growth(List<Measured> stores) {

    private static final String BURST = "BURST";

    Growth {
        stores =
                stores.stream().sorted(Comparator.comparing(Measured::provider)).toList();
    }

    /** These, and those of other providers from an earlier run. */
    Growth and(Growth earlier) {
        Stream<Measured> others = earlier.stores.stream()
                .filter(each -> stores.stream().noneMatch(now -> now.provider().equals(each.provider())));
        return new Growth(Stream.concat(stores.stream(), others).toList());
    }

    List<String> lines() {
        return stores.stream().flatMap(Measured::lines).toList();
    }

    static Growth parse(List<String> lines) {
        Map<String, Measured> stores = new LinkedHashMap<>();
        for (String line : lines) {
            String[] words = line.split(";", -1);
            Measured store = stores.computeIfAbsent(
                    words[0], name -> new Measured(name, words[1], words[2], new ArrayList<>(), new ArrayList<>()));
            List<String> figures = List.of(words).subList(3, words.length);
            if (figures.get(0).equals(BURST)) {
                store.bursts.add(Burst.parse(figures));
            } else {
                store.points.add(Point.parse(figures));
            }
        }
        return new Growth(List.copyOf(stores.values()));
    }

    /**
     * One provider's figures.
     *
     * @param server product and version
     * @param origin date, commit, and how busy the machine was
     */
    record Measured(String provider, String server, String origin, List<Point> points, List<Burst> bursts) {

        Stream<Point> points(Curve curve) {
            return points.stream().filter(point -> point.curve() == curve);
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
     * @param perSecond how many locks were granted per second
     * @param p50Millis the median: see the curve
     * @param p99Millis of the same
     * @param heapBytes what the heap has more than before the clients were made
     * @param commands that clients sent: see the curve
     * @param connections sockets that the clients opened
     * @param lost locks that were lost
     */
    record Point(
            Curve curve,
            int size,
            double perSecond,
            double p50Millis,
            double p99Millis,
            long heapBytes,
            double commands,
            int connections,
            int lost) {

        private String line() {
            return String.join(
                    ";",
                    curve.name(),
                    Integer.toString(size),
                    Double.toString(perSecond),
                    Double.toString(p50Millis),
                    Double.toString(p99Millis),
                    Long.toString(heapBytes),
                    Double.toString(commands),
                    Integer.toString(connections),
                    Integer.toString(lost));
        }

        private static Point parse(List<String> words) {
            return new Point(
                    Curve.valueOf(words.get(0)),
                    Integer.parseInt(words.get(1)),
                    Double.parseDouble(words.get(2)),
                    Double.parseDouble(words.get(3)),
                    Double.parseDouble(words.get(4)),
                    Long.parseLong(words.get(5)),
                    Double.parseDouble(words.get(6)),
                    Integer.parseInt(words.get(7)),
                    Integer.parseInt(words.get(8)));
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
