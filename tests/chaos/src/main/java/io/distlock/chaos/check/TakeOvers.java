package io.distlock.chaos.check;

import io.distlock.chaos.history.Attempt.Hold;
import io.distlock.chaos.history.Entry;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.History;
import io.distlock.chaos.history.Stalls;
import io.distlock.chaos.history.Use;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * How roles went from one leader to the next. Figures; nothing is promised of them.
 *
 * @param millis how long a role was led by nobody, by why the term before had ended, in order of length: from when its leader
 *     was last known to lead
 * @param late how many leaders that ran, and had not been deposed by force, were told of the end of their term only when the
 *     next one had led for a while
 */
public record TakeOvers(Map<String, List<Long>> millis, long late) {

    /** As precisely as it is known when a process ran. */
    private static final long A_WHILE = 50_000_000;

    private static final String RESIGNED = "resigned";

    /** Those of a history. */
    public static TakeOvers of(History history) {
        Map<String, String> reasons = new HashMap<>();
        for (Entry entry : history.entries(Kind.LOST)) {
            reasons.put(entry.subject(), entry.word(0).toLowerCase(Locale.ROOT));
        }
        Map<String, Hold> last = new HashMap<>();
        Map<String, List<Long>> millis = new TreeMap<>();
        Stalls stalls = Stalls.of(history);
        long late = 0;
        for (Hold next : history.holds(Use.ROLE)) {
            Hold before = last.put(next.key(), next);
            if (before != null) {
                String reason = reasons.getOrDefault(before.id(), "died");
                millis.computeIfAbsent(reason, none -> new ArrayList<>())
                        .add(Math.max(0, next.granted() - before.held()) / 1_000_000);
                long told = before.lost().orElse(next.granted());
                long from = before.conflictsFrom(next);
                late += told > from && stalls.awake(before.client(), from, told) > A_WHILE ? 1 : 0;
            }
        }
        millis.values().forEach(list -> list.sort(null));
        return new TakeOvers(millis, late);
    }

    /** How many changes there were. */
    public long count() {
        return millis.values().stream().mapToLong(List::size).sum();
    }

    /** The median after a resignation; 0 if there was none. */
    public long afterResignation() {
        return median(millis.getOrDefault(RESIGNED, List.of()));
    }

    /** The median after any other end: death, loss, deposition; 0 if there was none. */
    public long afterOthers() {
        return median(millis.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(RESIGNED))
                .flatMap(entry -> entry.getValue().stream())
                .sorted()
                .toList());
    }

    private static long median(List<Long> sorted) {
        return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
    }

    /** As a line of the report. */
    public Stream<String> lines() {
        return millis.entrySet().stream()
                .map(entry -> "%s %d (median %d ms, longest %d ms)"
                        .formatted(
                                entry.getKey(),
                                entry.getValue().size(),
                                median(entry.getValue()),
                                entry.getValue().get(entry.getValue().size() - 1)));
    }
}
