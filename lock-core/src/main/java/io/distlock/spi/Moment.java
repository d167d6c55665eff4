package io.distlock.spi;

import java.util.concurrent.TimeUnit;

/**
 * A reading of both clocks of a {@link Ticker}.
 *
 * @param nanos the monotonic clock, in nanoseconds from an arbitrary origin
 * @param wallMillis the wall clock, in milliseconds
 */
public record Moment(long nanos, long wallMillis) {

    /**
     * Nanoseconds from this moment to now: the larger of what the two clocks say, so that a machine that was
     * suspended is not believed. A wall clock that was set back is ignored; one that was set forward makes time
     * seem longer, which is the safe side.
     */
    public long elapsedNanos(Ticker ticker) {
        long monotonic = ticker.nanos() - nanos;
        long wall = TimeUnit.MILLISECONDS.toNanos(ticker.wallMillis() - wallMillis);
        return Math.max(monotonic, wall);
    }
}
