package io.distlock.chaos.check;

import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.history.Attempt;
import io.distlock.chaos.history.Entry;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.History;
import io.distlock.chaos.history.Stalls;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A call ends within its wait time and the limit of one call to the store, if its process runs; and each one ends. The wait
 * time of a process's first calls begins once it is connected.
 */
final class Deadlines {

    /** For threads that wait for a processor while their process runs. */
    private static final Duration ALLOWANCE = Duration.ofMillis(1_500);

    private Deadlines() {}

    static List<Violation> check(History history, Duration callTimeout, Duration connectTimeout) {
        Map<String, Long> connected = history.entries(Kind.STARTED).stream()
                .collect(Collectors.toMap(Entry::subject, entry -> entry.at() + connectTimeout.toNanos()));
        Stalls stalls = Stalls.of(history);
        Set<String> ended =
                history.entries(Kind.ENDED).stream().map(Entry::subject).collect(Collectors.toSet());
        return history.attempts().stream()
                .filter(attempt -> isLate(attempt, stalls, callTimeout, connected.getOrDefault(attempt.client(), 0L))
                        || isOpen(attempt, ended))
                .map(Deadlines::violation)
                .toList();
    }

    private static boolean isLate(Attempt attempt, Stalls stalls, Duration callTimeout, long connected) {
        if (attempt.answered().isEmpty()) {
            return false;
        }
        long begun = Math.max(attempt.asked(), connected);
        long took = stalls.awake(attempt.client(), begun, attempt.answered().getAsLong());
        return took > attempt.waitNanos() + callTimeout.toNanos() + ALLOWANCE.toNanos();
    }

    private static boolean isOpen(Attempt attempt, Set<String> ended) {
        return attempt.answered().isEmpty() && ended.contains(attempt.client());
    }

    private static Violation violation(Attempt attempt) {
        String took = attempt.answered().isPresent()
                ? "took %.0f ms".formatted((attempt.answered().getAsLong() - attempt.asked()) / 1e6)
                : "never ended";
        return new Violation(
                Promise.DEADLINE,
                attempt.asked(),
                "%s for %s, which may wait %d ms, %s"
                        .formatted(attempt.id(), attempt.key(), attempt.waitNanos() / 1_000_000, took),
                List.of(attempt.id()));
    }
}
