package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.capacity.CapacityTables.Figure;
import io.distlock.benchmarks.capacity.CostModel.RenewalPrice;
import io.distlock.benchmarks.capacity.Growth.Point;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a large fleet needs, on paper: the measured price of a cycle and of a renewal, times how many there are. */
record Fleet(Growth growth) {

    private static final double LOCKS_PER_SECOND = 1e6;
    private static final int INSTANCES = 1_000;
    private static final int HELD_BY_EACH = 100;
    private static final double MICROS_IN_A_SECOND = 1e6;

    /** How busy a processor may be: there are bursts, and one of several servers may be gone. */
    private static final double BUSY = 0.6;

    /** For each figure, what it is for a provider. */
    Map<String, Function<String, Optional<String>>> needs() {
        Map<String, Function<String, Optional<String>>> needs = new LinkedHashMap<>();
        needs.put("server µs for a lock", provider -> price(provider).map(Figure::of));
        needs.put(
                "servers' processors, 60 % busy",
                provider ->
                        price(provider).map(price -> rounded(price * LOCKS_PER_SECOND / MICROS_IN_A_SECOND / BUSY)));
        needs.put(
                "stores, each as fast as the one here",
                provider -> fastest(provider).map(fastest -> rounded(LOCKS_PER_SECOND / fastest)));
        needs.put(
                "processor of an instance, 1,000 locks a second",
                provider -> busiest(provider)
                        .map(cost -> rounded(100
                                        * cost.processor().clients()
                                        * LOCKS_PER_SECOND
                                        / INSTANCES
                                        / MICROS_IN_A_SECOND)
                                + " %"));
        needs.put(
                "connections to each store",
                provider -> busiest(provider).map(cost -> rounded(INSTANCES * cost.connections())));
        needs.put(
                "servers' processors for 100 held by each, lease 15 s, 60 s",
                provider -> renewal(provider).map(micros -> renewals(micros, 15) + ", " + renewals(micros, 60)));
        needs.put(
                "grants a second of one key that all want",
                provider -> growth.cost(provider, Curve.WAITERS, HELD_BY_EACH).map(cost -> rounded(cost.perSecond())));
        return needs;
    }

    private static String renewals(double micros, int lease) {
        return Figure.of(
                new RenewalPrice(0, micros).perSecond(INSTANCES * HELD_BY_EACH, lease) / MICROS_IN_A_SECOND / BUSY);
    }

    /** Microseconds. In a Redis Cluster, locks are in many slots, and those of a slot are renewed by a command: half a cycle. */
    private Optional<Double> renewal(String provider) {
        return provider.equals("redis")
                ? price(provider).map(cycle -> cycle / 2)
                : new CostModel(growth, provider).renewalPrice().map(price -> Math.max(0, price.each()));
    }

    /**
     * Of a cycle: by clients on connections of their own, as instances are; or of all members of a store whose servers have each
     * other's data, where that is more.
     */
    private Optional<Double> price(String provider) {
        Stream<Cost> clients = growth.points(provider, Curve.CLIENTS).stream().map(Point::cost);
        return Stream.concat(
                        clients.reduce((fewer, more) -> more).stream(),
                        growth.cost(provider, Curve.SERVERS, Ensemble.MEMBERS).stream()
                                .filter(cost -> Ensemble.hasLeader(provider)))
                .map(cost -> cost.processor().servers())
                .filter(Double::isFinite)
                .max(Comparator.naturalOrder());
    }

    private Optional<Cost> busiest(String provider) {
        return growth.cost(provider, Curve.THREADS, Cycles.SOME_THREADS)
                .filter(cost -> Double.isFinite(cost.processor().clients()));
    }

    private Optional<Double> fastest(String provider) {
        return growth.points(provider, Curve.THREADS).stream()
                .filter(point -> busiest(provider).isPresent())
                .map(point -> point.cost().perSecond())
                .max(Comparator.naturalOrder());
    }

    private static String rounded(double value) {
        return Figure.of(Math.ceil(value));
    }
}
