package io.distlock.chaos.check;

import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.history.Attempt.Hold;
import io.distlock.chaos.history.History;
import io.distlock.chaos.history.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** At no moment are there more holders of permits of a name than permits. Holds are counted as for exclusion. */
final class Bound {

    private Bound() {}

    static List<Violation> check(History history) {
        List<Violation> found = new ArrayList<>();
        List<Hold> open = new ArrayList<>();
        for (Hold later : history.holds(Use.PERMIT)) {
            open.removeIf(earlier -> earlier.held() <= later.granted());
            List<Hold> same = open.stream()
                    .filter(earlier -> earlier.name().equals(later.name()))
                    .toList();
            if (later.wasHeld() && same.size() >= later.permits()) {
                found.add(violation(same, later));
            }
            open.add(later);
        }
        return found;
    }

    private static Violation violation(List<Hold> others, Hold later) {
        List<String> holders =
                Stream.concat(others.stream(), Stream.of(later)).map(Hold::id).toList();
        return new Violation(
                Promise.BOUND,
                later.granted(),
                "%s all held one of the %d permits of %s"
                        .formatted(String.join(", ", holders), later.permits(), later.name()),
                holders);
    }
}
