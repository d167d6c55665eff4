package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.capacity.Growth.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What a few points of a provider say about its others.
 *
 * <ul>
 *   <li>Cycles by n clients or threads: their median time is a + (n − 1) · b, so that they are n by that time a second, which is
 *       Amdahl's law. a is the time of one alone; b is what each further one adds, which is the time of whatever all of them share.
 *       From the points of 1 and 16. Medians, since whatever else a machine does for a moment meets few cycles.
 *   <li>Keys: cycles take as long as with 1,000.
 *   <li>Locks held: the servers' processor time is that of an idle client and so much for each renewal, of which each lock has
 *       three in a lease. From the points of 100 locks and of the shortest lease.
 *   <li>Waiters: each hand-over takes as long as with 1,000 of them.
 * </ul>
 */
record CostModel(Growth growth, String provider) {

    private static final int SOME = 16;
    private static final int A_HUNDRED = 100;
    private static final int A_THOUSAND = 1_000;
    private static final int TEN_THOUSAND = 10_000;
    private static final double RENEWALS_IN_A_LEASE = 3;
    private static final double LEASE_SECONDS = Curve.LEASE.toSeconds();

    /**
     * A point that is not among those that the model is made of.
     *
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
     * A queue in front of what all of them share.
     *
     * @param alone milliseconds of a cycle
     * @param each milliseconds that each further one adds
     */
    record Line(double alone, double each) {

        double millis(int count) {
            return alone + (count - 1) * each;
        }

        /** From how many on more of them bring little. */
        double knee() {
            return alone / each;
        }
    }

    /**
     * Processor time of servers, for locks that are held.
     *
     * @param idle microseconds per second without any
     * @param each microseconds for a renewal
     */
    record RenewalPrice(double idle, double each) {

        double perSecond(int held, double leaseSeconds) {
            return idle + each * RENEWALS_IN_A_LEASE * held / leaseSeconds;
        }
    }

    List<Prediction> predictions() {
        List<Prediction> all = new ArrayList<>();
        Stream.of(Curve.THREADS, Curve.CLIENTS, Curve.PROCESSES).forEach(curve -> all.addAll(cycles(curve)));
        all.addAll(keys());
        all.addAll(renewals());
        all.addAll(waiters());
        return all;
    }

    private List<Prediction> cycles(Curve curve) {
        return line(curve).stream()
                .flatMap(line -> points(curve)
                        .filter(point -> point.size() != 1 && point.size() != SOME)
                        .map(point -> new Prediction(
                                "%,d %s, ms".formatted(point.size(), curve.title()),
                                point.cost().p50Millis(),
                                line.millis(point.size()),
                                curve == Curve.THREADS || point.size() < SOME)))
                .toList();
    }

    /** For cycles, if the two points are there that it is made of. */
    Optional<Line> line(Curve curve) {
        return cost(curve, 1)
                .flatMap(one -> cost(curve, SOME)
                        .map(some -> new Line(one.p50Millis(), (some.p50Millis() - one.p50Millis()) / (SOME - 1))));
    }

    private List<Prediction> keys() {
        return asWithAThousand(Curve.KEYS, "%,d keys, ms", point -> point.size() <= TEN_THOUSAND);
    }

    private List<Prediction> asWithAThousand(Curve curve, String what, Predicate<Point> claimed) {
        return cost(curve, A_THOUSAND).stream()
                .flatMap(known -> points(curve)
                        .filter(point -> point.size() > SOME && point.size() != A_THOUSAND)
                        .map(point -> new Prediction(
                                what.formatted(point.size()),
                                point.cost().p50Millis(),
                                known.p50Millis(),
                                claimed.test(point))))
                .toList();
    }

    private List<Prediction> renewals() {
        return renewalPrice().stream()
                .flatMap(price -> Stream.concat(
                        points(Curve.HELD)
                                .filter(point -> point.size() != A_HUNDRED)
                                .map(point -> renewals(price, point, point.size(), LEASE_SECONDS, "held")),
                        points(Curve.LEASES)
                                .skip(1)
                                .map(point -> renewals(price, point, Curve.MANY, point.size(), "s of lease"))))
                .filter(each -> Double.isFinite(each.measured()))
                .toList();
    }

    private static Prediction renewals(RenewalPrice price, Point point, int held, double lease, String what) {
        return new Prediction(
                "%,d %s, server µs/s".formatted(point.size(), what),
                servers(point),
                price.perSecond(held, lease),
                true);
    }

    /** Not claimed: the compiler still works while the first ones are handed over. */
    private List<Prediction> waiters() {
        return asWithAThousand(Curve.WAITERS, "%,d waiters, ms for each", point -> false);
    }

    /** Unless its two points were not measured. */
    Optional<RenewalPrice> renewalPrice() {
        return cost(Curve.HELD, A_HUNDRED)
                .filter(CostModel::hasProcessor)
                .flatMap(few -> points(Curve.LEASES).findFirst().map(shortest -> {
                    double fewer = RENEWALS_IN_A_LEASE * A_HUNDRED / LEASE_SECONDS;
                    double more = RENEWALS_IN_A_LEASE * Curve.MANY / shortest.size();
                    double each = (servers(shortest) - few.processor().servers()) / (more - fewer);
                    return new RenewalPrice(few.processor().servers() - each * fewer, each);
                }));
    }

    /** What the processors alone let each of many threads add to a cycle, in milliseconds. */
    Optional<Double> processorMillis() {
        return growth.processors(provider)
                .flatMap(processors -> cost(Curve.THREADS, SOME)
                        .map(cost ->
                                (cost.processor().servers() + cost.processor().clients()) / 1e3 / processors))
                .filter(Double::isFinite);
    }

    private static double servers(Point point) {
        return point.cost().processor().servers();
    }

    private static boolean hasProcessor(Cost cost) {
        return !Double.isNaN(cost.processor().servers());
    }

    private Stream<Point> points(Curve curve) {
        return growth.points(provider, curve).stream();
    }

    private Optional<Cost> cost(Curve curve, int size) {
        return growth.cost(provider, curve, size);
    }
}
