package io.distlock.chaos.history;

import java.util.List;
import java.util.Optional;

/**
 * One line of a journal. The monotonic clock is the same for all processes of a machine, so entries of several journals can be
 * compared.
 *
 * @param at when, by the monotonic clock, in nanoseconds
 * @param kind what happened
 * @param subject to which attempt, client or fault
 * @param words the details, none with a blank
 */
public record Entry(long at, Kind kind, String subject, List<String> words) {

    /** What can happen. The words of the detail are given in brackets. */
    public enum Kind {
        /** A client runs. */
        STARTED,
        /** A client has ended in an orderly way [locks held, calls that wait]. */
        ENDED,
        /** A client's process did not run for a while, which ends now [nanoseconds]. */
        STALLED,
        /** An attempt begins [key, mode, wait ms, lease ms, whether its body asks its lock, permits]. */
        ASKED,
        /** An attempt has the lock; read after the call has returned [token, key, which is the permit's]. */
        GRANTED,
        /** An attempt has ended without the lock [reason]. */
        REFUSED,
        /** The holder asked its lock, which said that it is held; read before asking. */
        HELD,
        /** The holder asked its lock, which said that it is no longer held; read before asking. */
        NOT_HELD,
        /** The holder was told of the loss [reason]. */
        LOST,
        /** A renewal was answered [key, token, whether confirmed]. */
        RENEWED,
        /** The release begins: the body has ended. */
        RELEASING,
        /** The release has ended [outcome]. */
        RELEASED,
        /** A lock is about to be released by force [token]; the subject is its key. */
        FORCED,
        /** A write reached the register [key, token, whether the fence let it in]. */
        WROTE,
        /** A fault begins [details]. */
        FAULT,
        /** A fault has ended. */
        HEALED,
        /** From here on faults are beyond what the provider promises to bear. */
        BEYOND
    }

    private static final String SEPARATOR = " ";
    private static final int FIXED = 3;

    public Entry {
        words = List.copyOf(words);
    }

    /** One with these details. */
    public static Entry of(long at, Kind kind, String subject, Object... words) {
        return new Entry(
                at, kind, subject, List.of(words).stream().map(String::valueOf).toList());
    }

    /** A detail. */
    public String word(int index) {
        return words.get(index);
    }

    /** A detail that is a number. */
    public long number(int index) {
        return Long.parseLong(words.get(index));
    }

    /** As a line of a journal. */
    public String line() {
        String fixed = String.join(SEPARATOR, Long.toString(at), kind.name(), subject);
        return words.isEmpty() ? fixed : fixed + SEPARATOR + String.join(SEPARATOR, words);
    }

    /** The entry in a line; empty for one that the death of its writer cut short. */
    public static Optional<Entry> parse(String line) {
        List<String> parts = List.of(line.split(SEPARATOR, -1));
        if (parts.size() < FIXED) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Entry(
                    Long.parseLong(parts.get(0)),
                    Kind.valueOf(parts.get(1)),
                    parts.get(2),
                    parts.subList(FIXED, parts.size())));
        } catch (IllegalArgumentException cut) {
            return Optional.empty();
        }
    }
}
