package io.distlock.test.fault;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** What holds for one direction, on all connections. Safe for use by several threads. */
final class Rules {

    private final Gate gate;
    private final AtomicBoolean cutNext = new AtomicBoolean();
    private volatile boolean dropping;
    private volatile Duration delay = Duration.ZERO;

    Rules(Gate gate) {
        this.gate = gate;
    }

    void drop() {
        dropping = true;
    }

    void cutBeforeNext() {
        cutNext.set(true);
    }

    void delay(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("delay %s must not be negative".formatted(time));
        }
        delay = time;
    }

    void clear() {
        dropping = false;
        cutNext.set(false);
        delay = Duration.ZERO;
    }

    Duration delay() {
        return delay;
    }

    /** Waits while the proxy is frozen, then decides. Only bytes spring a cut, not the end of a stream. */
    Fate fateOf(Parcel.Kind kind) throws InterruptedException {
        gate.pass();
        if (kind == Parcel.Kind.BYTES && cutNext.compareAndSet(true, false)) {
            return Fate.CUT;
        }
        return dropping ? Fate.DROP : Fate.DELIVER;
    }
}
