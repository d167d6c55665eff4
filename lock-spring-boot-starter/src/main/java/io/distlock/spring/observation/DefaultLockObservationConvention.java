package io.distlock.spring.observation;

import io.distlock.LockKey;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * {@code distributed.lock}, with phase, name, provider, mode and outcome as low-cardinality values; keys and tokens,
 * which are unbounded, as high-cardinality ones.
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

    private static final int MOST_SHOWN = 10;

    @Override
    public String getName() {
        return "distributed.lock";
    }

    @Override
    public String getContextualName(LockObservationContext context) {
        return (isWait(context) ? "wait for " : "hold ") + context.name();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
        return KeyValues.of(
                KeyValue.of("phase", isWait(context) ? "wait" : "hold"),
                KeyValue.of("lock", context.name()),
                KeyValue.of("provider", context.provider()),
                KeyValue.of("mode", context.request().mode().name().toLowerCase(Locale.ROOT)),
                KeyValue.of("outcome", context.outcome()));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
        KeyValues keys = KeyValues.of("lock.key", text(context.request().keys(), LockKey::text));
        return context.grants().isEmpty()
                ? keys
                : keys.and(
                        "lock.token",
                        text(context.grants(), grant -> grant.token().toString()));
    }

    private static <T> String text(List<T> items, Function<T, String> text) {
        String shown = items.stream().limit(MOST_SHOWN).map(text).collect(Collectors.joining(","));
        return items.size() > MOST_SHOWN ? shown + " and " + (items.size() - MOST_SHOWN) + " more" : shown;
    }

    private static boolean isWait(LockObservationContext context) {
        return context.phase() == LockObservationContext.Phase.WAIT;
    }
}
