package io.distlock.redis;

import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import java.time.Duration;

/**
 * How long one try on several nodes waits for what, counted from its start. It ends before whoever asked for it gives it up,
 * and so can say what was wrong.
 *
 * @param minority a node that others can do without may be dead, and everybody would wait for it again and again
 * @param majority whoever goes on without it goes on without the lock; but too little of the lease must not be left
 * @param connecting nodes that are missing to a majority and have to be connected to: that takes longer than an answer
 */
record Patience(Duration minority, Duration majority, Duration connecting) {

    private static final Duration LONGEST_FOR_MINORITY = Duration.ofMillis(250);

    static Patience of(LeaseRequest request, Duration callTimeout) {
        Duration remaining = request.deadline().remaining();
        Duration call = callTimeout.multipliedBy(3).dividedBy(4);
        // A wait of zero gets a whole call; an answer that is asked for just before the deadline may be a little late.
        Duration longest = remaining.isZero() ? call : least(call, remaining.plus(callTimeout.dividedBy(20)));
        Duration lease = request.options().leaseTime();
        Duration majority = least(lease.dividedBy(4), longest);
        return new Patience(least(majority, LONGEST_FOR_MINORITY), majority, least(lease.dividedBy(2), longest));
    }

    /** For a question that costs nobody a lock: for a minority as long as for its vote, for a majority nearly a call. */
    static Patience ofInspection(Duration callTimeout) {
        Duration majority = callTimeout.multipliedBy(3).dividedBy(4);
        return new Patience(least(majority, LONGEST_FOR_MINORITY), majority, majority);
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
