package io.distlock.spring.metrics;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Meters by the value of their tag, each made when it is first needed: a lock that is never shared has no meters of shared
 * mode. Thread-safe.
 */
final class MetersBy<E extends Enum<E>, M> {

    private final Map<E, M> meters = new ConcurrentHashMap<>();
    private final Function<E, M> maker;

    MetersBy(Function<E, M> maker) {
        this.maker = maker;
    }

    /** By the values of two tags. */
    static <F extends Enum<F>, E extends Enum<E>, M> Map<F, MetersBy<E, M>> each(
            Class<F> first, BiFunction<F, E, M> maker) {
        Map<F, MetersBy<E, M>> tables = new EnumMap<>(first);
        Arrays.stream(first.getEnumConstants())
                .forEach(each -> tables.put(each, new MetersBy<>(value -> maker.apply(each, value))));
        return tables;
    }

    M of(E value) {
        M known = meters.get(value);
        return known == null ? meters.computeIfAbsent(value, maker) : known;
    }
}
