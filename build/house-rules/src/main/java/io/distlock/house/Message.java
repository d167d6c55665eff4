package io.distlock.house;

import java.util.Arrays;
import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * A text in the source.
 *
 * @param file where it is
 * @param text the whole of it, with an ellipsis for each value
 */
record Message(String file, String text) {

    static final String VALUE = "…";

    private static final Pattern VALUES = Pattern.compile(VALUE + "|\\{}|%[a-z]|\\R");
    private static final Pattern START = Pattern.compile("^\\P{L}+");
    private static final Pattern WORD = Pattern.compile("\\p{L}{2,}");
    private static final int WORDS = 3;

    /** For a database, not for readers. */
    private static final Pattern SQL =
            Pattern.compile(" ?(select|where|insert (ignore )?into|merge into|delete from) ");

    /** What to do follows a colon, a semicolon or a full stop, or is all that the text says; or the text has the rule. */
    private static final Pattern CURE = Pattern.compile(
            "(^|[:;.] (or |(for|to) [^,:;.]+, )?|, or |… )(?i:acquire|add|begin|call|change|check|choose|configure|convert"
                    + "|correct|create|declare|define|do|end|enter|give|grant|lead|lengthen|let|list|lock|make|name|raise|remove|repeat"
                    + "|request|return|send|set|shorten|skip|switch|take|upgrade|use|wait|write) (?!['…])|\\bmust (not )?be ");

    /** What one can search for: the longest part without a value or the end of a line, from its first word on. */
    String mark() {
        return Arrays.stream(VALUES.split(text))
                .map(part -> START.matcher(part).replaceFirst(""))
                .max(Comparator.comparingInt(String::length))
                .orElse("");
    }

    /** Whether somebody was to read it: names and keys are shorter. */
    boolean isSentence() {
        return mark().contains(" ")
                && !SQL.matcher(text).lookingAt()
                && WORD.matcher(mark()).results().count() >= WORDS;
    }

    /** Whether it names its own cure, so that a page would only repeat it. */
    boolean saysWhatToDo() {
        return CURE.matcher(text).find();
    }

    @Override
    public String toString() {
        return file + ": " + text;
    }
}
