package io.distlock.chaos.check;

import io.distlock.chaos.history.Entry;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.History;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A promise that was not kept.
 *
 * @param promise which
 * @param at when it is certain to have been broken
 * @param what a sentence about it
 * @param attempts those that take part in it
 */
public record Violation(Promise promise, long at, String what, List<String> attempts) {

    /** What is promised. */
    public enum Promise {
        /** Two holders of a lock never overlap. */
        EXCLUSION,
        /** There are never more holders of permits than permits. */
        BOUND,
        /** A later grant has a larger token. */
        TOKENS,
        /** A holder learns of a loss before somebody else has the lock. */
        LOSS,
        /** A fenced register takes no write of a holder once a later one has written. */
        FENCE,
        /** A call ends in time. */
        DEADLINE,
        /** Nothing is left behind, and each lock can be had again. */
        LEFTOVERS
    }

    private static final long BEFORE = 3_000_000_000L;
    private static final long AFTER = 1_000_000_000L;
    private static final Set<Kind> FRAME = EnumSet.of(Kind.FAULT, Kind.HEALED, Kind.BEYOND, Kind.STALLED);

    public Violation {
        attempts = List.copyOf(attempts);
    }

    /** What was recorded of its attempts, and the faults about that time; repeated samples only at their ends. */
    public List<Entry> excerpt(History history) {
        List<Entry> kept = new ArrayList<>();
        List<Entry> relevant = history.entries().stream().filter(this::matters).toList();
        for (int index = 0; index < relevant.size(); index++) {
            Entry entry = relevant.get(index);
            boolean repeated =
                    isSample(entry) && neighbour(relevant, index, -1, entry) && neighbour(relevant, index, 1, entry);
            if (!repeated) {
                kept.add(entry);
            }
        }
        return kept;
    }

    private boolean matters(Entry entry) {
        return attempts.contains(entry.subject())
                || (FRAME.contains(entry.kind()) && entry.at() > at - BEFORE && entry.at() < at + AFTER);
    }

    private static boolean isSample(Entry entry) {
        return isAnswer(entry) || entry.kind() == Kind.WROTE;
    }

    /** Of the lock, whether it is held. */
    private static boolean isAnswer(Entry entry) {
        return entry.kind() == Kind.HELD || entry.kind() == Kind.NOT_HELD;
    }

    /** Whether the next entry of its attempt is like it; answers and writes take turns. */
    private static boolean neighbour(List<Entry> entries, int index, int step, Entry of) {
        for (int at = index + step; at >= 0 && at < entries.size(); at += step) {
            Entry next = entries.get(at);
            if (next.subject().equals(of.subject()) && (!isSample(next) || isAnswer(next) == isAnswer(of))) {
                return next.kind() == of.kind();
            }
        }
        return false;
    }
}
