package io.distlock.chaos.history;

import io.distlock.chaos.history.Attempt.Hold;
import io.distlock.chaos.history.Entry.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** All that happened in a campaign, in the order of the clock. Immutable. */
public final class History {

    private static final String SHARED = "SHARED";
    private static final int LEASE = 3;
    private static final int CHECKED = 4;
    private static final int PERMITS = 5;
    private static final long MILLI = 1_000_000;

    private final List<Entry> entries;
    private final List<Attempt> attempts;

    private History(List<Entry> entries, List<Attempt> attempts) {
        this.entries = entries;
        this.attempts = attempts;
    }

    /** Puts journals together. */
    public static History of(List<Entry> journals) {
        List<Entry> sorted =
                journals.stream().sorted(Comparator.comparingLong(Entry::at)).toList();
        Map<String, List<Entry>> bySubject = new LinkedHashMap<>();
        sorted.forEach(entry -> bySubject
                .computeIfAbsent(entry.subject(), none -> new ArrayList<>())
                .add(entry));
        Map<String, Long> forced = new HashMap<>();
        sorted.stream()
                .filter(entry -> entry.kind() == Kind.FORCED)
                .forEach(entry -> forced.putIfAbsent(grant(entry.subject(), entry.word(0)), entry.at()));
        List<Attempt> attempts = new ArrayList<>();
        bySubject.forEach((id, own) -> attempt(id, own, forced).ifPresent(attempts::add));
        return new History(sorted, List.copyOf(attempts));
    }

    private static String grant(String key, String token) {
        return key + ' ' + token;
    }

    private static Optional<Attempt> attempt(String id, List<Entry> own, Map<String, Long> forced) {
        Map<Kind, Entry> first = new EnumMap<>(Kind.class);
        Map<Kind, Entry> last = new EnumMap<>(Kind.class);
        own.forEach(entry -> {
            first.putIfAbsent(entry.kind(), entry);
            last.put(entry.kind(), entry);
        });
        return Optional.ofNullable(first.get(Kind.ASKED)).map(asked -> {
            Optional<Entry> granted = Optional.ofNullable(first.get(Kind.GRANTED));
            Optional<Entry> answer = granted.or(() -> Optional.ofNullable(first.get(Kind.REFUSED)));
            boolean shared = asked.word(1).equals(SHARED);
            String outcome = granted.map(none -> "granted")
                    .or(() -> answer.map(refused -> refused.word(0)))
                    .orElse("");
            return new Attempt(
                    id,
                    client(id),
                    asked.word(0),
                    shared,
                    Boolean.parseBoolean(asked.word(CHECKED)),
                    asked.number(2) * MILLI,
                    asked.at(),
                    time(answer),
                    outcome,
                    granted.map(grant ->
                            hold(id, asked, grant, first, last, forced.get(grant(grant.word(1), grant.word(0))))));
        });
    }

    private static Hold hold(
            String id,
            Entry asked,
            Entry granted,
            Map<Kind, Entry> first,
            Map<Kind, Entry> last,
            @Nullable Long forced) {
        long held = latest(granted.at(), last, Kind.HELD);
        long body = Math.max(
                latest(held, last, Kind.NOT_HELD),
                Optional.ofNullable(first.get(Kind.RELEASING)).map(Entry::at).orElse(held));
        return new Hold(
                id,
                client(id),
                asked.word(0),
                (int) asked.number(PERMITS),
                granted.word(1),
                asked.word(1).equals(SHARED),
                asked.at(),
                granted.number(0),
                granted.at(),
                held,
                body,
                time(Optional.ofNullable(first.get(Kind.LOST))),
                time(Optional.ofNullable(first.get(Kind.RELEASING))),
                new Hold.Force(
                        forced == null ? OptionalLong.empty() : OptionalLong.of(forced), asked.number(LEASE) * MILLI));
    }

    private static long latest(long atLeast, Map<Kind, Entry> last, Kind kind) {
        return Optional.ofNullable(last.get(kind))
                .map(entry -> Math.max(atLeast, entry.at()))
                .orElse(atLeast);
    }

    private static OptionalLong time(Optional<Entry> entry) {
        return entry.map(found -> OptionalLong.of(found.at())).orElseGet(OptionalLong::empty);
    }

    /** An attempt's id begins with its client's name. */
    private static String client(String attempt) {
        return attempt.substring(0, attempt.indexOf('-'));
    }

    /** Everything. */
    public List<Entry> entries() {
        return entries;
    }

    /** Everything of a kind. */
    public List<Entry> entries(Kind kind) {
        return entries.stream().filter(entry -> entry.kind() == kind).toList();
    }

    /** All attempts, in the order in which they began. */
    public List<Attempt> attempts() {
        return attempts;
    }

    /** All grants, in the order in which they were returned. */
    public List<Hold> holds() {
        return attempts.stream()
                .flatMap(attempt -> attempt.hold().stream())
                .sorted(Comparator.comparingLong(Hold::granted))
                .toList();
    }

    /** All grants for a use, in the order in which they were returned. */
    public List<Hold> holds(Use use) {
        return holds().stream().filter(hold -> hold.use() == use).toList();
    }

    /** From when on faults were beyond what the provider promises to bear. */
    public OptionalLong beyond() {
        return entries(Kind.BEYOND).stream().mapToLong(Entry::at).findFirst();
    }
}
