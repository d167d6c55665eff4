package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.capacity.Growth.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a few points of a provider say about its others.
 *
 * <ul>
 *   <li>Cycles by n clients or threads: n / (a + (n − 1) · b) a second, which is Amdahl's law. a is the time of one alone; b is what each further one
 *       adds, which is the time of whatever all of them share. From the points of 1 and 16.
 *   <li>Keys: as many cycles as with 1,000.
 *   <li>Locks held: the servers' processor time is that of an idle client and so much for each renewal, of which each lock has
 *       three in a lease. From the points of the shortest and the longest lease.
 *   <li>Waiters: each hand-over takes as long as with 1,000 of them.
 * </ul>
 */
record CostModel(Growth growth, String provider) {

    private static final int SOME = 16;
    private static final int A_THOUSAND = 1_000;
    private static final int TEN_THOUSAND = 10_000;
    private static final double RENEWALS_IN_A_LEASE = 3;

    /**
     * A point that is not among those that the model is made of.
     *
     * @param what it is
     * @param measured cycles or microseconds per second, or seconds
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
     * @param alone seconds of a cycle
     * @param each seconds that each further one adds
     */
    record Line(double alone, double each) {

        double perSecond(int count) {
            return count / (alone + (count - 1) * each);
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
                                "%,d %s, cycles/s".formatted(point.size(), curve.title()),
                                point.cost().perSecond(),
                                line.perSecond(point.size()),
                                point.size() < SOME)))
                .toList();
    }

    /** For cycles, if the two points are there that it is made of. */
    Optional<Line> line(Curve curve) {
        return cost(curve, 1)
                .flatMap(one -> cost(curve, SOME).map(some -> {
                    double alone = 1 / one.perSecond();
                    return new Line(alone, (SOME / some.perSecond() - alone) / (SOME - 1));
                }));
    }

    private List<Prediction> keys() {
        return cost(Curve.KEYS, Cycles.SOME_KEYS).stream()
                .flatMap(known -> points(Curve.KEYS)
                        .filter(point -> point.size() != Cycles.SOME_KEYS)
                        .map(point -> new Prediction(
                                "%,d keys, cycles/s".formatted(point.size()),
                                point.cost().perSecond(),
                                known.perSecond(),
                                point.size() <= TEN_THOUSAND)))
                .toList();
    }

    private List<Prediction> renewals() {
        double seconds = Curve.LEASE.toSeconds();
        return renewalPrice().stream()
                .flatMap(price -> points(Curve.HELD)
                        .filter(point -> hasProcessor(point.cost()))
                        .map(point -> new Prediction(
                                "%,d held, server µs/s".formatted(point.size()),
                                point.cost().processor().servers(),
                                price.perSecond(point.size(), seconds),
                                point.size() >= A_THOUSAND)))
                .toList();
    }

    private List<Prediction> waiters() {
        return cost(Curve.WAITERS, A_THOUSAND).stream()
                .flatMap(known -> points(Curve.WAITERS)
                        .filter(point -> point.size() >= SOME && point.size() != A_THOUSAND)
                        .map(point -> new Prediction(
                                "%,d waiters, seconds".formatted(point.size()),
                                point.size() / point.cost().perSecond(),
                                point.size() / known.perSecond(),
                                point.size() > A_THOUSAND)))
                .toList();
    }

    /** Unless leases were not measured. */
    Optional<RenewalPrice> renewalPrice() {
        List<Point> leases =
                points(Curve.LEASES).filter(point -> hasProcessor(point.cost())).toList();
        if (leases.size() < 2) {
            return Optional.empty();
        }
        Point shortest = leases.get(0);
        Point longest = leases.get(leases.size() - 1);
        double fewer = RENEWALS_IN_A_LEASE * Curve.MANY / longest.size();
        double more = RENEWALS_IN_A_LEASE * Curve.MANY / shortest.size();
        double each = (servers(shortest) - servers(longest)) / (more - fewer);
        return Optional.of(new RenewalPrice(servers(longest) - each * fewer, each));
    }

    /** What the processors alone let each of many threads add to a cycle, in seconds. */
    Optional<Double> processorSeconds() {
        return growth.processors(provider)
                .flatMap(processors -> cost(Curve.THREADS, SOME)
                        .map(cost ->
                                (cost.processor().servers() + cost.processor().clients()) / 1e6 / processors))
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
