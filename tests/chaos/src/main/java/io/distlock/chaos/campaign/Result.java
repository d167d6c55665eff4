package io.distlock.chaos.campaign;

import io.distlock.chaos.check.Verdict;
import io.distlock.chaos.check.Violation;
import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.history.Attempt;
import io.distlock.chaos.history.Entry;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
        return new Figures(
                provider,
                server,
                seed,
                duration.toSeconds(),
                clientFaults,
                faults().count() - clientFaults,
                history.attempts().size(),
                history.holds().size(),
                history.entries(Kind.LOST).size(),
                history.entries(Kind.WROTE).size(),
                history.entries(Kind.WROTE).stream()
                        .filter(each -> each.word(2).equals("false"))
                        .count(),
                verdict.violations().size(),
                verdict.beyond().size(),
                verdict.control().overlaps(),
                verdict.control().staleWrites());
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
        lines.add("  attempts    " + counted(history.attempts().stream().map(Result::outcome)));
        lines.add("  losses told %d, renewals %d, writes at the register %d, refused by the fence %d"
                .formatted(
                        figures.losses(), history.entries(Kind.RENEWED).size(), figures.writes(), figures.refused()));
        for (Promise promise : Promise.values()) {
            lines.add("  %-11s %d".formatted(name(promise), verdict.count(promise)));
        }
        lines.add("  beyond      "
                + counted(verdict.beyond().stream().map(Violation::promise).map(Result::name)));
        lines.add("  control     %d bodies that did not ask their lock overlapped, %d stale writes reached the register"
                .formatted(figures.overlaps(), figures.staleWrites()));
        verdict.violations().stream().limit(SHOWN).forEach(each -> lines.addAll(excerpt(each)));
        lines.add(verdict.isGood() ? "  every promise was kept, and the control broke them" : "  NOT GOOD: " + fault());
        return String.join(System.lineSeparator(), lines);
    }

    private String fault() {
        return verdict.violations().isEmpty()
                ? "the control broke no promise, so the campaign has shown nothing"
                : "%d violations".formatted(verdict.violations().size());
    }

    private static String name(Promise promise) {
        return promise.name().toLowerCase(Locale.ROOT);
    }

    private static String outcome(Attempt attempt) {
        return attempt.outcome().isEmpty() ? "died" : attempt.outcome();
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
