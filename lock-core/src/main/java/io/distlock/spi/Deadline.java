package io.distlock.spi;

import java.time.Duration;

/**
 * A point on the monotonic clock by which something must be over. Made once, when a call arrives, and passed down.
 * Immutable.
 */
public final class Deadline {

    private final Ticker ticker;
    private final long at;

    private Deadline(Ticker ticker, long at) {
        this.ticker = ticker;
        this.at = at;
    }

    /** The deadline this long from now; up to 292 years. */
    public static Deadline in(Duration time, Ticker ticker) {
        return new Deadline(ticker, ticker.nanos() + time.toNanos());
    }

    /** On the ticker's monotonic clock, in nanoseconds. */
    public long nanos() {
        return at;
    }

    /** Nanoseconds left; negative once it has passed. */
    public long remainingNanos() {
        return at - ticker.nanos();
    }

    /** Time left; zero once it has passed. */
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, remainingNanos()));
    }

    public boolean hasPassed() {
        return remainingNanos() <= 0;
    }
}
