package io.distlock.redis;

import io.distlock.redis.RedlockActions.Step;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * The time limits of one try. When one is up, it says whose votes count as silent from then on, and which limit comes next.
 * Knows no clock. Guarded as the phases are.
 */
final class VoteDeadlines {

    private final Patience patience;
    private final RedlockPhases phases;
    private final boolean[] connecting;

    /**
     * @param connecting nodes that have to be connected to first
     */
    VoteDeadlines(Patience patience, RedlockPhases phases, boolean[] connecting) {
        this.patience = patience;
        this.phases = phases;
        this.connecting = connecting;
    }

    /** Where a majority has said something, the others are not worth waiting for; where none has, there is no lock without. */
    List<Step> minorityIsDue(Duration waited) {
        return phases.isMajorityHeard()
                ? silenced(waited)
                : next(patience.majority().minus(patience.minority()), this::majorityIsDue);
    }

    private List<Step> majorityIsDue(Duration waited) {
        List<Step> steps =
                phases.isMajorityHeard() ? silenced(waited) : phases.silenced(node -> !connecting[node], waited);
        return phases.isWaitingFor(node -> connecting[node])
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
