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
 * @param first when to look for the first time whether a majority has answered, and not to wait for the others
 * @param minority for nodes that the majority does not need; short, or a dead node would delay every attempt
 * @param majority for nodes without which there is no lock; but enough of the lease must be left
 */
record VoteTimeouts(Duration first, Duration minority, Duration majority) {

    private static final Duration LONGEST_FOR_MINORITY = Duration.ofMillis(250);
    private static final Duration AFTER_A_WAIT = Duration.ofMillis(10);
    private static final int MOST_DOUBLINGS = 5;

    static VoteTimeouts of(LeaseRequest request, Duration callTimeout) {
        Duration remaining = request.deadline().remaining();
        Duration call = callTimeout.multipliedBy(3).dividedBy(4);
        // A zero wait gets a whole call; an answer requested just before the deadline may be a little late.
        Duration longest = remaining.isZero() ? call : least(call, remaining.plus(callTimeout.dividedBy(20)));
        return within(least(request.options().leaseTime().dividedBy(4), longest));
    }

    /** Delays no lock: a minority gets as long as for its vote, a majority nearly a call. */
    static VoteTimeouts ofInspection(Duration callTimeout) {
        return within(callTimeout.multipliedBy(3).dividedBy(4));
    }

    private static VoteTimeouts within(Duration majority) {
        Duration minority = least(majority, LONGEST_FOR_MINORITY);
        return new VoteTimeouts(minority, minority, majority);
    }

    /**
     * For a try that others make at the same moment, as after a release: with two of five nodes frozen, each split vote would
     * wait for them. Waits longer with each split vote, since slow nodes may be needed.
     */
    VoteTimeouts amongOthers(int splits) {
        Duration sooner = AFTER_A_WAIT.multipliedBy(1L << Math.min(splits, MOST_DOUBLINGS));
        return new VoteTimeouts(least(sooner, minority), minority, majority);
    }

    /** What is left for the second phase. */
    Duration toConfirm(Moment since, long nowNanos) {
        Duration left = majority.minusNanos(nowNanos - since.nanos());
        return left.compareTo(minority) > 0 ? left : minority;
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Stops waiting once a majority has answered: looks after twice the time each time. Guarded like the phases. */
    Function<Duration, List<Step>> whenMinorityIsDue(RedlockAcquirePhases phases) {
        return look(phases, first);
    }

    private Function<Duration, List<Step>> look(RedlockAcquirePhases phases, Duration at) {
        return waited -> {
            if (phases.isMajorityHeard()) {
                return phases.silenced(waited);
            }
            Duration next = at.multipliedBy(2);
            return List.of(
                    next.compareTo(majority) < 0
                            ? actions -> actions.limit(at, look(phases, next))
                            : actions -> actions.limit(majority.minus(at), phases::silenced));
        };
    }
}
