package io.distlock.spi;

/**
 * The source of time. Intervals are measured on the monotonic clock. The wall clock only shows whether the machine was
 * suspended, when many monotonic clocks stop. Thread-safe.
 */
public interface Ticker {

    /** Monotonic nanoseconds from an arbitrary origin; only differences are meaningful. */
    long nanos();

    /** Milliseconds of the wall clock; compare only readings of the same ticker. */
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
