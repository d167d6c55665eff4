package io.distlock.spi;

import java.time.Duration;

/**
 * A point on the monotonic clock by which something must be over. Set once, when a call arrives, and passed down.
 *
 * @param ticker the clock
 * @param nanos the point, in the ticker's nanoseconds
 */
public record Deadline(Ticker ticker, long nanos) {

    /** The deadline this long from now; up to 292 years. */
    public static Deadline in(Duration time, Ticker ticker) {
        return new Deadline(ticker, ticker.nanos() + time.toNanos());
    }

    /** Nanoseconds left; negative once it has passed. */
    public long remainingNanos() {
        return nanos - ticker.nanos();
    }

    /** Time left; zero once it has passed. */
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, remainingNanos()));
    }

    public boolean hasPassed() {
        return remainingNanos() <= 0;
    }
}
