package io.distlock.chaos.check;

import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.history.Entry;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.History;
import io.distlock.chaos.history.Use;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * What a history shows.
 *
 * @param violations of what is promised, under faults that the provider promises to bear
 * @param beyond violations under faults that it does not promise to bear
 * @param forced overlaps of leaders, of which the first had been deposed by force and did not know it yet: not promised
 * @param control what the same history shows of clients that do without the protection
 */
public record Verdict(List<Violation> violations, List<Violation> beyond, List<Violation> forced, Control control) {

    /**
     * What must go wrong without the protection, or the campaign has shown nothing.
     *
     * @param overlaps bodies that ran at once, because they did not ask their lock whether it is held, by use
     * @param staleWrites stale writes that a register without a fence would have taken, by use
     */
    public record Control(Map<Use, Integer> overlaps, Map<Use, Integer> staleWrites) {

        static Control of(History history) {
            Map<Use, Integer> overlaps = new EnumMap<>(Use.class);
            Map<Use, Integer> stale = new EnumMap<>(Use.class);
            for (Use use : Use.values()) {
                overlaps.put(use, Exclusion.ofBodies(history, use).size());
                stale.put(use, Register.unfenced(history, use).size());
            }
            return new Control(overlaps, stale);
        }

        /** How many there are of both kinds, for all uses. */
        public static int sum(Map<Use, Integer> counts) {
            return counts.values().stream().mapToInt(count -> count).sum();
        }

        /** Whether both went wrong for each use. */
        public boolean isProof() {
            return Stream.of(overlaps, staleWrites)
                    .flatMap(counts -> counts.values().stream())
                    .allMatch(count -> count > 0);
        }
    }

    /**
     * Checks everything.
     *
     * @param history what happened
     * @param callTimeout the provider's limit of one call
     * @param connectTimeout how long the first calls of a process wait for its connection
     */
    public static Verdict of(History history, Duration callTimeout, Duration connectTimeout) {
        List<Violation> all = new ArrayList<>();
        all.addAll(Exclusion.check(history));
        all.addAll(Bound.check(history));
        all.addAll(Tokens.check(history));
        all.addAll(Register.fenced(history));
        all.addAll(LossNotice.check(history));
        all.addAll(Deadlines.check(history, callTimeout, connectTimeout));
        all.addAll(leftInClients(history));
        all.sort(Comparator.comparingLong(Violation::at));
        OptionalLong border = history.beyond();
        return new Verdict(
                all.stream().filter(each -> isWithin(each, border)).toList(),
                all.stream().filter(each -> !isWithin(each, border)).toList(),
                Exclusion.afterForce(history),
                Control.of(history));
    }

    private static boolean isWithin(Violation violation, OptionalLong border) {
        return border.isEmpty() || violation.at() < border.getAsLong();
    }

    private static List<Violation> leftInClients(History history) {
        return history.entries(Kind.ENDED).stream()
                .filter(entry -> entry.number(0) + entry.number(1) > 0)
                .map(Verdict::leftover)
                .toList();
    }

    private static Violation leftover(Entry entry) {
        return new Violation(
                Promise.LEFTOVERS,
                entry.at(),
                "client %s ended with %s locks held and %s calls waiting"
                        .formatted(entry.subject(), entry.word(0), entry.word(1)),
                List.of(entry.subject()));
    }

    /** How many violations of one promise, within what is promised. */
    public long count(Promise promise) {
        return violations.stream().filter(each -> each.promise() == promise).count();
    }

    /** Whether nothing was violated, and the control was. */
    public boolean isGood() {
        return violations.isEmpty() && control.isProof();
    }
}
