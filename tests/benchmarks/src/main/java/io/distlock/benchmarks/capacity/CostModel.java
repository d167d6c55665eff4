package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.capacity.Growth.Point;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How the figures of a provider follow from each other. Each point is predicted from the other ones of its kind, never from itself.
 *
 * <ul>
 *   <li>Cycles by n threads, clients or processes: {@link Scalability}. Not the points with the fewest and the most, which would be
 *       guessed from one side.
 *   <li>Keys: cycles take as long as with other numbers of keys.
 *   <li>Locks held: the servers' processor time is that of an idle client and so much for each renewal, of which each lock has
 *       three in a lease. Not the points with the fewest and the most renewals.
 *   <li>Waiters: each hand-over takes as long as with other numbers of them.
 * </ul>
 */
record CostModel(Growth growth, String provider) {

    private static final int SOME = 16;
    private static final int TEN_THOUSAND = 10_000;
    private static final double RENEWALS_IN_A_LEASE = 3;
    private static final double LEASE_SECONDS = Curve.LEASE.toSeconds();
    private static final double MILLIS = 1e3;

    /**
     * @param what it is
     * @param measured milliseconds, or microseconds per second
     * @param claimed whether the model is to be right here; elsewhere it shows how far it is off
     */
    record Prediction(String what, double measured, double predicted, boolean claimed) {

        double error() {
            return predicted / measured - 1;
        }
    }

    /**
     * Processor time of servers, for locks that are held.
     *
     * @param idle microseconds per second without any
     * @param each microseconds for a renewal
     */
    record RenewalPrice(double idle, double each) {

        private static RenewalPrice of(List<Renewals> measured) {
            double[] prices = LeastSquares.prices(
                    measured.stream().map(Renewals::serverMicros).toList(),
                    index -> new double[] {1, measured.get(index).perSecond()});
            return new RenewalPrice(prices[0], prices[1]);
        }

        double perSecond(int held, double leaseSeconds) {
            return perSecond(renewals(held, leaseSeconds));
        }

        private double perSecond(double renewals) {
            return idle + each * renewals;
        }
    }

    private record Renewals(String what, double perSecond, double serverMicros) {}

    private static double renewals(int held, double leaseSeconds) {
        return RENEWALS_IN_A_LEASE * held / leaseSeconds;
    }

    List<Prediction> predictions() {
        List<Prediction> all = new ArrayList<>();
        Stream.of(Curve.THREADS, Curve.CLIENTS, Curve.PROCESSES).forEach(curve -> all.addAll(cycles(curve)));
        all.addAll(asWithOthers(Curve.KEYS, "%,d keys, ms", TEN_THOUSAND));
        all.addAll(held());
        // Not claimed: the compiler still works while the first ones are handed over.
        all.addAll(asWithOthers(Curve.WAITERS, "%,d waiters, ms for each", 0));
        return all;
    }

    private List<Prediction> cycles(Curve curve) {
        return between(
                points(curve),
                (point, others) -> new Prediction(
                        "%,d %s, ms".formatted(point.size(), curve.title()),
                        sample(point).millis(),
                        Scalability.of(samples(others)).millis(point.size()),
                        true));
    }

    private static List<Scalability.Sample> samples(List<Point> points) {
        return points.stream().map(CostModel::sample).toList();
    }

    /** The mean: the throughput is what a fleet needs, and a median hides whatever stops everybody for a moment. */
    private static Scalability.Sample sample(Point point) {
        return new Scalability.Sample(
                point.size(), point.size() * MILLIS / point.cost().perSecond());
    }

    /** Of all threads of one client, unless only one number of them was measured. */
    Optional<Scalability> threads() {
        return Optional.of(points(Curve.THREADS))
                .filter(points -> points.size() > 1)
                .map(points -> Scalability.of(samples(points)));
    }

    /** @param claimed up to this size */
    private List<Prediction> asWithOthers(Curve curve, String what, int claimed) {
        List<Point> points =
                points(curve).stream().filter(point -> point.size() > SOME).toList();
        return fromOthers(
                points,
                0,
                (point, others) -> new Prediction(
                        what.formatted(point.size()),
                        point.cost().p50Millis(),
                        others.stream()
                                .mapToDouble(other -> other.cost().p50Millis())
                                .average()
                                .orElseThrow(),
                        point.size() <= claimed));
    }

    private List<Prediction> held() {
        return between(
                renewals(),
                (point, others) -> new Prediction(
                        point.what(),
                        point.serverMicros(),
                        RenewalPrice.of(others).perSecond(point.perSecond()),
                        true));
    }

    /** With processor time, by how many there are a second. */
    private List<Renewals> renewals() {
        return Stream.concat(
                        points(Curve.HELD).stream().map(point -> renewals(point, point.size(), LEASE_SECONDS, "held")),
                        points(Curve.LEASES).stream()
                                .map(point -> renewals(point, Curve.MANY, point.size(), "s of lease")))
                .filter(each -> Double.isFinite(each.serverMicros()))
                .sorted(Comparator.comparing(Renewals::perSecond))
                .toList();
    }

    private static Renewals renewals(Point point, int held, double leaseSeconds, String what) {
        return new Renewals(
                "%,d %s, server µs/s".formatted(point.size(), what),
                renewals(held, leaseSeconds),
                point.cost().processor().servers());
    }

    /** Unless fewer than two points of it were measured. */
    Optional<RenewalPrice> renewalPrice() {
        return Optional.of(renewals()).filter(known -> known.size() > 1).map(RenewalPrice::of);
    }

    /** What the processors alone let each of many threads add to a cycle, in milliseconds. */
    Optional<Double> processorMillis() {
        return growth.processors(provider)
                .flatMap(processors -> growth.cost(provider, Curve.THREADS, SOME)
                        .map(cost ->
                                (cost.processor().servers() + cost.processor().clients()) / MILLIS / processors))
                .filter(Double::isFinite);
    }

    private interface Predictor<T> {

        Prediction predict(T point, List<T> others);
    }

    /** Those that have others on both sides. */
    private static <T> List<Prediction> between(List<T> points, Predictor<T> predictor) {
        return fromOthers(points, 1, predictor);
    }

    private static <T> List<Prediction> fromOthers(List<T> points, int unpredictedAtEachEnd, Predictor<T> predictor) {
        if (points.size() < 2) {
            return List.of();
        }
        return IntStream.range(unpredictedAtEachEnd, points.size() - unpredictedAtEachEnd)
                .mapToObj(index -> {
                    List<T> others = new ArrayList<>(points);
                    T point = others.remove(index);
                    return predictor.predict(point, others);
                })
                .toList();
    }

    private List<Point> points(Curve curve) {
        return growth.points(provider, curve);
    }
}
