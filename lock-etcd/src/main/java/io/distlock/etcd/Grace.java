package io.distlock.etcd;

import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Ticker;
import java.time.Duration;

/**
 * The time for which one acquisition is not granted a lock that looks free, because a lease has gone. A leader that was frozen
 * and thaws takes away leases that its successor has extended; their holders learn of it by their watches, within a round trip
 * or two, but believe in their locks until then. A second is time for that, and for the pauses of a garbage collector; a
 * longer lock-delay counts instead. Belongs to the acquisition's step.
 */
final class Grace {

    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private final Ticker ticker;
    private final Duration time;
    private Deadline end;

    Grace(LeaseRequest request, Ticker ticker) {
        Duration delay = request.options().lockDelay();
        this.ticker = ticker;
        this.time = delay.compareTo(SHORTEST) > 0 ? delay : SHORTEST;
        this.end = Deadline.in(Duration.ZERO, ticker);
    }

    /**
     * A lease has gone, and with it perhaps those of others.
     *
     * @param since how long ago, or longer
     */
    void begin(Duration since) {
        Deadline next = Deadline.in(time.minus(since), ticker);
        end = next.nanos() - end.nanos() > 0 ? next : end;
    }

    boolean isOver() {
        return end.hasPassed();
    }

    Duration remaining() {
        return end.remaining();
    }
}
