package io.distlock.redis;

import io.distlock.spi.Moment;
import java.time.Duration;

/**
 * How long one try on several nodes waits for what.
 *
 * @param minority a node that others can do without may be dead, and everybody would wait for it again and again
 * @param majority whoever goes on without it goes on without the lock; but too little of the lease must not be left
 * @param connecting a node that has to be connected to: that takes longer than an answer, and is done once
 */
record Patience(Duration minority, Duration majority, Duration connecting) {

    private static final Duration LONGEST_FOR_MINORITY = Duration.ofMillis(250);

    static Patience of(Duration leaseTime, Duration callTimeout) {
        Duration majority = least(leaseTime.dividedBy(4), callTimeout);
        return new Patience(least(majority, LONGEST_FOR_MINORITY), majority, callTimeout);
    }

    /** What is left for the second phase. */
    Duration toConfirm(Moment since, long nowNanos) {
        Duration left = majority.minusNanos(nowNanos - since.nanos());
        return left.compareTo(minority) > 0 ? left : minority;
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
