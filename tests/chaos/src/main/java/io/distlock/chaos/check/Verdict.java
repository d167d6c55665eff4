package io.distlock.chaos.check;

import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.history.Entry;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a history shows.
 *
 * @param violations of what is promised, under faults that the provider promises to bear
 * @param beyond violations under faults that it does not promise to bear
 * @param control what the same history shows of clients that do without the protection
 */
public record Verdict(List<Violation> violations, List<Violation> beyond, Control control) {

    /**
     * What must go wrong without the protection, or the campaign has shown nothing.
     *
     * @param overlaps bodies that ran at once, because they did not ask their lock whether it is held
     * @param staleWrites stale writes that a register without a fence would have taken
     */
    public record Control(int overlaps, int staleWrites) {

        /** Whether both went wrong. */
        public boolean isProof() {
            return overlaps > 0 && staleWrites > 0;
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
        all.addAll(Tokens.check(history));
        all.addAll(Register.fenced(history));
        all.addAll(LossNotice.check(history));
        all.addAll(Deadlines.check(history, callTimeout, connectTimeout));
        all.addAll(leftInClients(history));
        all.sort(Comparator.comparingLong(Violation::at));
        OptionalLong border = history.beyond();
        Control control = new Control(
                Exclusion.ofBodies(history).size(), Register.unfenced(history).size());
        return new Verdict(
                all.stream().filter(each -> isWithin(each, border)).toList(),
                all.stream().filter(each -> !isWithin(each, border)).toList(),
                control);
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
