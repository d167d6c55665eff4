package io.distlock.support;

import io.distlock.spi.Ticker;
import java.util.random.RandomGenerator;

/** Makes a runtime in which nothing is left to chance. */
public final class SimulatedRuntime {

    private SimulatedRuntime() {}

    /** The random generator draws the jitter of pauses. */
    public static LockRuntime of(Ticker ticker, LockScheduler scheduler, RandomGenerator random) {
        return new LockRuntime(ticker, scheduler, () -> random);
    }

    /** Looks for jumps of the wall clock from now on, as a runtime with threads of its own does. */
    public static void watchClocks(LockRuntime runtime) {
        runtime.clockJumps().start();
    }

    /** How many actions run when the wall clock jumps forward. */
    public static int clockWatchers(LockRuntime runtime) {
        return runtime.clockJumps().watchers();
    }
}
