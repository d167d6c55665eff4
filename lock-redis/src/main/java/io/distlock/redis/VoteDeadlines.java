package io.distlock.redis;

import io.distlock.redis.QuorumActions.Step;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntPredicate;

/**
 * Until when which votes of one try are waited for. Knows no clock. Guarded as the phases are.
 *
 * @param connecting nodes that have to be connected to first
 */
record VoteDeadlines(Patience patience, QuorumPhases phases, IntPredicate connecting) {

    List<Step> start() {
        return next(patience.minority(), this::minorityIsDue);
    }

    /** Where a majority has said something, the others are not worth waiting for; where none has, there is no lock without. */
    private List<Step> minorityIsDue(Duration waited) {
        return phases.isMajorityHeard()
                ? silenced(waited)
                : next(patience.majority().minus(patience.minority()), this::majorityIsDue);
    }

    private List<Step> majorityIsDue(Duration waited) {
        List<Step> steps = phases.isMajorityHeard() ? silenced(waited) : phases.silenced(connecting.negate(), waited);
        return phases.isWaitingFor(connecting)
                ? next(patience.connecting().minus(patience.majority()), this::silenced)
                : steps;
    }

    private List<Step> silenced(Duration waited) {
        return phases.silenced(node -> true, waited);
    }

    private static List<Step> next(Duration pause, Function<Duration, List<Step>> whenUp) {
        return List.of(actions -> actions.limit(pause, whenUp));
    }
}
