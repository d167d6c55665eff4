package io.distlock.chaos.check;

import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.history.Attempt.Hold;
import io.distlock.chaos.history.Entry;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.History;
import io.distlock.chaos.history.Use;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * No write of a holder is taken once a later one has written. Which one is later is told by the times of the grants, and not
 * by their tokens, so that tokens in a wrong order are found here as well.
 */
final class Register {

    private static final int LET_IN = 2;

    private Register() {}

    /** Stale writes that the fence let in. */
    static List<Violation> fenced(History history) {
        return stale(history, entry -> Boolean.parseBoolean(entry.word(LET_IN)));
    }

    /** The control: stale writes that a register without a fence would have taken. */
    static List<Violation> unfenced(History history, Use use) {
        return stale(history, entry -> Use.of(entry.word(0)) == use);
    }

    private static List<Violation> stale(History history, Predicate<Entry> taken) {
        Map<String, Hold> holds = history.holds().stream().collect(Collectors.toMap(Hold::id, Function.identity()));
        Map<String, Hold> newest = new HashMap<>();
        List<Violation> found = new ArrayList<>();
        for (Entry write : history.entries(Kind.WROTE)) {
            Hold writer = holds.get(write.subject());
            if (writer == null || !taken.test(write)) {
                continue;
            }
            Hold before = newest.putIfAbsent(writer.key(), writer);
            if (before == null || before.equals(writer)) {
                continue;
            }
            if (writer.precedes(before)) {
                found.add(violation(write, writer, before));
            } else if (before.precedes(writer)) {
                newest.put(writer.key(), writer);
            }
        }
        return found;
    }

    private static Violation violation(Entry write, Hold writer, Hold before) {
        return new Violation(
                Promise.FENCE,
                write.at(),
                "a write of %s to %s was taken, after one of %s, which had the lock later"
                        .formatted(writer.id(), writer.key(), before.id()),
                List.of(writer.id(), before.id()));
    }
}
