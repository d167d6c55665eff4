package io.distlock.chaos.campaign;

import io.distlock.chaos.campaign.Figures.Figure;
import io.distlock.chaos.check.TakeOvers;
import io.distlock.chaos.check.Verdict;
import io.distlock.chaos.check.Verdict.Control;
import io.distlock.chaos.check.Violation;
import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.history.Attempt;
import io.distlock.chaos.history.Entry;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.History;
import io.distlock.chaos.history.Use;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What came of a campaign.
 *
 * @param provider the provider
 * @param server product and version of the servers
 * @param seed the seed
 * @param duration how long faults went on
 * @param history everything that was recorded
 * @param verdict what it shows
 */
public record Result(String provider, String server, long seed, Duration duration, History history, Verdict verdict) {

    private static final int SHOWN = 5;

    /** As it is kept and put on the page. */
    public Figures figures() {
        long clientFaults = faults().filter(name -> name.startsWith("client-k") || name.startsWith("client-f"))
                .count();
        TakeOvers takeOvers = TakeOvers.of(history);
        Map<Figure, Long> values = new EnumMap<>(Figure.class);
        values.put(Figure.SEED, seed);
        values.put(Figure.SECONDS, duration.toSeconds());
        values.put(Figure.CLIENT_FAULTS, clientFaults);
        values.put(Figure.STORE_FAULTS, faults().count() - clientFaults);
        values.put(Figure.ATTEMPTS, attempts().count());
        values.put(Figure.LOCKS, (long) history.holds(Use.LOCK).size());
        values.put(Figure.PERMITS, (long) history.holds(Use.PERMIT).size());
        values.put(Figure.CHANGES_OF_LEADER, takeOvers.count());
        values.put(Figure.MILLIS_AFTER_RESIGNATION, takeOvers.afterResignation());
        values.put(Figure.MILLIS_AFTER_OTHERS, takeOvers.afterOthers());
        values.put(Figure.LOSSES, losses());
        values.put(Figure.WRITES, (long) history.entries(Kind.WROTE).size());
        values.put(
                Figure.REFUSED,
                history.entries(Kind.WROTE).stream()
                        .filter(each -> each.word(2).equals("false"))
                        .count());
        values.put(Figure.VIOLATIONS, (long) verdict.violations().size());
        values.put(Figure.BEYOND, (long) verdict.beyond().size());
        values.put(Figure.OVERLAPS, (long) Control.sum(verdict.control().overlaps()));
        values.put(Figure.STALE_WRITES, (long) Control.sum(verdict.control().staleWrites()));
        return new Figures(provider, server, values);
    }

    /** At locks and permits. */
    private Stream<Attempt> attempts() {
        return history.attempts().stream().filter(attempt -> Use.of(attempt.key()) != Use.ROLE);
    }

    /** What a leader is told is the end of its term, for whichever reason. */
    private long losses() {
        return attempts()
                .flatMap(attempt -> attempt.hold().stream())
                .filter(hold -> hold.lost().isPresent())
                .count();
    }

    private Stream<String> faults() {
        return history.entries(Kind.FAULT).stream().map(Entry::subject);
    }

    /** The report, for a terminal. */
    public String report() {
        Figures figures = figures();
        List<String> lines = new ArrayList<>();
        lines.add("%s (%s), seed %d, %d s".formatted(provider, server, seed, duration.toSeconds()));
        lines.add("  faults      " + counted(faults()));
        for (Use use : List.of(Use.LOCK, Use.PERMIT)) {
            Stream<Attempt> own = attempts().filter(attempt -> Use.of(attempt.key()) == use);
            lines.add("  %-11s %s"
                    .formatted(use.name().toLowerCase(Locale.ROOT) + 's', counted(own.map(Result::outcome))));
        }
        TakeOvers takeOvers = TakeOvers.of(history);
        lines.add("  leaders     %d changes, told late %d; after %s"
                .formatted(
                        takeOvers.count(), takeOvers.late(), takeOvers.lines().collect(Collectors.joining(", "))));
        lines.add("  losses told %d, renewals %d, writes at the register %d, refused by the fence %d"
                .formatted(
                        figures.get(Figure.LOSSES),
                        history.entries(Kind.RENEWED).size(),
                        figures.get(Figure.WRITES),
                        figures.get(Figure.REFUSED)));
        for (Promise promise : Promise.values()) {
            lines.add("  %-11s %d".formatted(name(promise), verdict.count(promise)));
        }
        lines.add("  beyond      "
                + counted(verdict.beyond().stream().map(Violation::promise).map(Result::name)));
        lines.add("  by force    %d of %d leaders whose role was released by force led for a while beside the next one"
                .formatted(verdict.forced().size(), history.entries(Kind.FORCED).size()));
        Control control = verdict.control();
        lines.add(
                "  control     bodies that did not ask their lock overlapped: %s; stale writes reached the register: %s"
                        .formatted(counts(control.overlaps()), counts(control.staleWrites())));
        firstBroken().ifPresent(after -> lines.add("  broken      after " + after + " s"));
        verdict.violations().stream().limit(SHOWN).forEach(each -> lines.addAll(excerpt(each)));
        lines.add(verdict.isGood() ? "  every promise was kept, and the control broke them" : "  NOT GOOD: " + fault());
        return String.join(System.lineSeparator(), lines);
    }

    /** Seconds from the start of the first client to the first broken promise; what is left shows at the end. */
    private OptionalLong firstBroken() {
        long begin = history.entries(Kind.STARTED).stream()
                .mapToLong(Entry::at)
                .min()
                .orElse(Long.MAX_VALUE);
        return verdict.violations().stream()
                .mapToLong(each -> Math.max(0, each.at() - begin) / 1_000_000_000)
                .min();
    }

    private String fault() {
        return verdict.violations().isEmpty()
                ? "the control broke no promise for one use of locks, so the campaign has shown nothing"
                : "%d violations".formatted(verdict.violations().size());
    }

    private static String name(Promise promise) {
        return promise.name().toLowerCase(Locale.ROOT);
    }

    private static String outcome(Attempt attempt) {
        return attempt.outcome().isEmpty() ? "died" : attempt.outcome();
    }

    private static String counts(Map<Use, Integer> counts) {
        return counts.entrySet().stream()
                .map(entry -> entry.getKey().name().toLowerCase(Locale.ROOT) + "s " + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    private static String counted(Stream<String> names) {
        Map<String, Long> counts =
                names.collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
        return counts.isEmpty()
                ? "none"
                : counts.entrySet().stream()
                        .map(entry -> entry.getKey() + ' ' + entry.getValue())
                        .collect(Collectors.joining(", "));
    }

    /** What matters of the history, in milliseconds from the violation. */
    private List<String> excerpt(Violation violation) {
        List<String> lines = new ArrayList<>();
        lines.add("  %s: %s".formatted(violation.promise(), violation.what()));
        for (Entry entry : violation.excerpt(history)) {
            lines.add("    %+10.1f ms  %-10s %-22s %s"
                    .formatted(
                            (entry.at() - violation.at()) / 1e6,
                            entry.kind(),
                            entry.subject(),
                            String.join(" ", entry.words())));
        }
        return lines;
    }
}
