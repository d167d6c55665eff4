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
     * Nanoseconds from this moment to now by the clock that advanced more, since the monotonic one may stop while
     * the machine is suspended. A wall clock that was set back is ignored; one set forward lengthens the time, which is
     * safe.
     */
    public long elapsedNanos(Ticker ticker) {
        long monotonic = ticker.nanos() - nanos;
        long wall = TimeUnit.MILLISECONDS.toNanos(ticker.wallMillis() - wallMillis);
        return Math.max(monotonic, wall);
    }
}
