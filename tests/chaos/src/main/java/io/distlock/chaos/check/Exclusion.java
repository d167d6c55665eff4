package io.distlock.chaos.check;

import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.history.Attempt.Hold;
import io.distlock.chaos.history.History;
import io.distlock.chaos.history.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;

/**
 * Two holders never overlap. A hold counts from after the call returned to just before the lock last said that it is held: a
 * loss is final, so the lock was held at each moment between. Who has lost a lock by force may believe in it for the rest of
 * its lease.
 */
final class Exclusion {

    private Exclusion() {}

    /** Overlaps of locks that both said that they are held. */
    static List<Violation> check(History history) {
        return overlaps(history.holds(), Hold::held, Hold::conflictsFrom);
    }

    /** The same of locks that were released by force. */
    static List<Violation> afterForce(History history) {
        return overlaps(
                history.holds().stream().filter(hold -> hold.use() == Use.ROLE).toList(),
                Hold::held,
                (earlier, later) -> earlier.conflictsFrom(later) > later.granted() ? later.granted() : Long.MAX_VALUE);
    }

    /** The control: overlaps of bodies, as if each had the lock until it ended, whatever the lock said. */
    static List<Violation> ofBodies(History history, Use use) {
        return overlaps(history.holds(use), Hold::body, (earlier, later) -> later.granted());
    }

    private static List<Violation> overlaps(
            List<Hold> holds, ToLongFunction<Hold> end, ToLongBiFunction<Hold, Hold> from) {
        List<Violation> found = new ArrayList<>();
        List<Hold> open = new ArrayList<>();
        for (Hold later : holds) {
            open.removeIf(earlier -> end.applyAsLong(earlier) <= later.granted());
            for (Hold earlier : open) {
                long begin = from.applyAsLong(earlier, later);
                long until = Math.min(end.applyAsLong(earlier), end.applyAsLong(later));
                if (earlier.conflictsWith(later) && until > begin) {
                    found.add(overlap(earlier, later, begin, until));
                }
            }
            open.add(later);
        }
        return found;
    }

    private static Violation overlap(Hold earlier, Hold later, long begin, long until) {
        double millis = (until - begin) / 1e6;
        return new Violation(
                Promise.EXCLUSION,
                begin,
                "%s and %s both held %s for %.1f ms".formatted(earlier.id(), later.id(), earlier.key(), millis),
                List.of(earlier.id(), later.id()));
    }
}
