package io.distlock.benchmarks.measure;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Time, as measurements need it. */
public final class Stopwatch {

    private static final Ticker CLOCK = Ticker.system();

    private final long started = CLOCK.nanos();

    private Stopwatch() {}

    public static Stopwatch start() {
        return new Stopwatch();
    }

    /** The monotonic clock of this machine. */
    public static long now() {
        return CLOCK.nanos();
    }

    public long nanos() {
        return CLOCK.nanos() - started;
    }

    /** Lets time pass. */
    public static void pause(Duration time) {
        Stopwatch watch = start();
        for (long left = time.toNanos(); left > 0; left = time.toNanos() - watch.nanos()) {
            LockSupport.parkNanos(left);
        }
    }

    static double micros(double nanos) {
        return nanos / 1_000;
    }

    public static double millis(double nanos) {
        return nanos / 1_000_000;
    }

    public static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
