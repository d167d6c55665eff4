package io.distlock.redis.redlock;

import io.distlock.redis.redlock.RedlockAcquirePhases.Step;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * How long one try on several nodes waits, counted from its start. Ends before its caller gives up, to say why.
 *
 * @param minority for nodes that the majority does not need; short, or a dead node would delay every attempt
 * @param majority for nodes without which there is no lock; but enough of the lease must be left
 */
record VoteTimeouts(Duration minority, Duration majority) {

    private static final Duration LONGEST_FOR_MINORITY = Duration.ofMillis(250);

    static VoteTimeouts of(LeaseRequest request, Duration callTimeout) {
        Duration remaining = request.deadline().remaining();
        Duration call = callTimeout.multipliedBy(3).dividedBy(4);
        // A zero wait gets a whole call; an answer requested just before the deadline may be a little late.
        Duration longest = remaining.isZero() ? call : least(call, remaining.plus(callTimeout.dividedBy(20)));
        Duration majority = least(request.options().leaseTime().dividedBy(4), longest);
        return new VoteTimeouts(least(majority, LONGEST_FOR_MINORITY), majority);
    }

    /** Delays no lock: a minority gets as long as for its vote, a majority nearly a call. */
    static VoteTimeouts ofInspection(Duration callTimeout) {
        Duration majority = callTimeout.multipliedBy(3).dividedBy(4);
        return new VoteTimeouts(least(majority, LONGEST_FOR_MINORITY), majority);
    }

    /** For a node that is asked before the others, which would have answered long ago if it were well. */
    Duration first() {
        return minority.dividedBy(10);
    }

    /** What is left for the second phase. */
    Duration toConfirm(Moment since, long nowNanos) {
        Duration left = majority.minusNanos(nowNanos - since.nanos());
        return left.compareTo(minority) > 0 ? left : minority;
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** When the time for a minority is up: stops waiting if a majority has answered. Guarded like the phases. */
    Function<Duration, List<Step>> whenMinorityIsDue(RedlockAcquirePhases phases) {
        return waited -> phases.isMajorityHeard()
                ? phases.silenced(waited)
                : List.of(actions -> actions.limit(majority.minus(minority), phases::silenced));
    }
}
