package io.distlock.spring.metrics;

import io.distlock.LockMode;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;

/**
 * What the meters of one lock are tagged with.
 *
 * @param lock the name of the lock
 * @param provider the name of the provider
 */
record MeterTags(String lock, String provider) {

    Tags all() {
        return Tags.of("lock", lock, "provider", provider);
    }

    Tags with(String tag, Enum<?> value) {
        return all().and(tag, text(value));
    }

    Tags with(LockMode mode, Enum<?> outcome) {
        return with("mode", mode).and("outcome", text(outcome));
    }

    private static String text(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
