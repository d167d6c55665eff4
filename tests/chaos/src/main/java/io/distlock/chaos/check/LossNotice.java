package io.distlock.chaos.check;

import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.history.Attempt.Hold;
import io.distlock.chaos.history.History;
import io.distlock.chaos.history.Stalls;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A holder that runs is told of a loss before somebody else has the lock. The lock's own answer is exact, and is checked as
 * exclusion; the message needs a thread, so it may come later by as much as the machine lets that thread wait.
 */
final class LossNotice {

    /** How late a message may come beside other work on the machine. */
    static final long ALLOWED = 1_000_000_000L;

    private LossNotice() {}

    static List<Violation> check(History history) {
        Stalls stalls = Stalls.of(history);
        List<Violation> found = new ArrayList<>();
        List<Hold> open = new ArrayList<>();
        for (Hold later : history.holds()) {
            if (!later.wasHeld()) {
                // Its process stood still for so long that the lock may be somebody else's by now.
                continue;
            }
            open.removeIf(earlier -> isOver(earlier, later.granted()));
            for (Hold earlier : open) {
                if (earlier.conflictsWith(later) && lateness(earlier, later, stalls) > ALLOWED) {
                    found.add(violation(earlier, later));
                }
            }
            open.removeIf(earlier -> earlier.conflictsWith(later));
            open.add(later);
        }
        return found;
    }

    private static boolean isOver(Hold hold, long at) {
        return isBefore(hold.lost(), at) || isBefore(hold.releasing(), at) || hold.body() < at;
    }

    private static boolean isBefore(OptionalLong moment, long at) {
        return moment.isPresent() && moment.getAsLong() <= at;
    }

    private static long lateness(Hold earlier, Hold later, Stalls stalls) {
        long learned = Math.min(
                earlier.lost().orElse(Long.MAX_VALUE), earlier.releasing().orElse(earlier.body()));
        return stalls.awake(earlier.client(), earlier.conflictsFrom(later), learned);
    }

    private static Violation violation(Hold earlier, Hold later) {
        return new Violation(
                Promise.LOSS,
                later.granted(),
                "%s was not told in time that it had lost %s, which %s had"
                        .formatted(earlier.id(), earlier.key(), later.id()),
                List.of(earlier.id(), later.id()));
    }
}
