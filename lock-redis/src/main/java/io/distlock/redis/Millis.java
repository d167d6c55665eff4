package io.distlock.redis;

import java.time.Duration;

/** Durations as Redis takes them. */
final class Millis {

    private Millis() {}

    /** Rounded up: a time to live must not be shorter than what the holder believes; zero if negative. */
    static long of(Duration duration) {
        return duration.isNegative() ? 0 : duration.plusNanos(999_999).toMillis();
    }
}
