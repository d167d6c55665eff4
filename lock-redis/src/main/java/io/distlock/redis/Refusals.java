package io.distlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is to be learnt from the nodes that refused an acquisition. Knows no time.
 *
 * @param open how many nodes had not yet spoken when it was decided
 */
record Refusals(Quorum quorum, int granted, int open, List<NodeVote.Refused> refusals) {

    /**
     * Readers are not told apart, so a majority of them may be parts of several tries, which are taken back and nobody is
     * told of it.
     */
    private static final Duration READERS_MAY_BE_GONE = Duration.ofSeconds(5);

    Refusals {
        refusals = List.copyOf(refusals);
    }

    /**
     * Whether one owner, or readers, have a majority: then there is nothing to do but wait until they give the lock back.
     * Otherwise several contenders have parts of it, all of which will withdraw, or not all nodes could be asked.
     */
    boolean isHeld() {
        return holders().values().stream().anyMatch(count -> count >= quorum.majority());
    }

    /** Whether it is certain that several have parts of it, and not one whom silent nodes would make the holder. */
    boolean isSplit() {
        return holders().size() > 1 || answers() == quorum.nodes();
    }

    /** How many nodes have said yes or no. */
    int answers() {
        return granted + refusals.size();
    }

    private boolean isHeldByReaders() {
        return holders().getOrDefault(NodeVote.Refused.READERS, 0) >= quorum.majority();
    }

    private Map<Long, Integer> holders() {
        Map<Long, Integer> counts = new HashMap<>();
        refusals.forEach(refusal -> counts.merge(refusal.holder(), 1, Integer::sum));
        return counts;
    }

    /**
     * When to look again: once enough of the nodes are free by themselves, as far as they know. Of those that had not yet spoken the best is
     * assumed: among those that had may be one whose clock was set back, which keeps for an hour what the others free now.
     */
    Optional<Duration> freeIn() {
        List<Duration> times = new ArrayList<>();
        refusals.forEach(refusal -> refusal.freeIn().ifPresent(times::add));
        times.sort(Comparator.naturalOrder());
        if (!times.isEmpty()) {
            times.addAll(0, Collections.nCopies(open, times.get(0)));
        }
        int missing = quorum.majority() - granted;
        Optional<Duration> time = missing <= times.size() ? Optional.of(times.get(missing - 1)) : Optional.empty();
        return isHeldByReaders()
                ? time.filter(known -> known.compareTo(READERS_MAY_BE_GONE) < 0)
                        .or(() -> Optional.of(READERS_MAY_BE_GONE))
                : time;
    }
}
