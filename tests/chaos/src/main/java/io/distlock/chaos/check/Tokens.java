package io.distlock.chaos.check;

import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.history.Attempt.Hold;
import io.distlock.chaos.history.History;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A later grant of a lock has a larger token, wherever the history tells which one is later. */
final class Tokens {

    private Tokens() {}

    static List<Violation> check(History history) {
        Map<String, List<Hold>> byKey = new LinkedHashMap<>();
        history.holds()
                .forEach(hold -> byKey.computeIfAbsent(hold.key(), none -> new ArrayList<>())
                        .add(hold));
        List<Violation> found = new ArrayList<>();
        byKey.values().forEach(holds -> ofOneKey(holds, found));
        return found;
    }

    private static void ofOneKey(List<Hold> holds, List<Violation> found) {
        for (int index = 0; index < holds.size(); index++) {
            Hold later = holds.get(index);
            for (Hold earlier : holds.subList(0, index)) {
                boolean ordered = earlier.precedes(later);
                boolean same = earlier.token() == later.token();
                if ((ordered && earlier.token() > later.token())
                        || (same && (ordered || earlier.conflictsWith(later)))) {
                    found.add(violation(earlier, later));
                }
            }
        }
    }

    private static Violation violation(Hold earlier, Hold later) {
        return new Violation(
                Promise.TOKENS,
                later.granted(),
                "%s has token %d of %s, and %s, which came before, has %d"
                        .formatted(later.id(), later.token(), later.key(), earlier.id(), earlier.token()),
                List.of(earlier.id(), later.id()));
    }
}
