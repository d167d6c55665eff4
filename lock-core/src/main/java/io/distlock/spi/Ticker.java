package io.distlock.spi;

/**
 * Where time comes from. Intervals are measured on the monotonic clock; the wall clock is read beside it only to
 * notice that the machine was suspended, during which many monotonic clocks stand still. Thread-safe.
 */
public interface Ticker {

    /** Monotonic nanoseconds from an arbitrary origin; differences only have a meaning. */
    long nanos();

    /** Milliseconds of the wall clock; only ever compared with another reading of the same ticker. */
    long wallMillis();

    /** Both clocks, read now. */
    default Moment now() {
        return new Moment(nanos(), wallMillis());
    }

    /** The clocks of this machine. */
    static Ticker system() {
        return new Ticker() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public long wallMillis() {
                return System.currentTimeMillis();
            }
        };
    }
}
