package io.distlock;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Proof of one grant, for the resource that the lock protects. Send it as {@link #text()}, such as in an HTTP header;
 * the receiver calls {@link LockClient#isCurrent(Sequencer)}, or compares tokens itself.
 *
 * @param key the lock
 * @param mode how it is held
 * @param token the grant's token
 */
public record Sequencer(LockKey key, LockMode mode, FencingToken token) {

    private static final Pattern TEXT = Pattern.compile("([1-9][0-9]*);(exclusive|shared);(.*)");

    /** The sequencer as text, {@code 1234;exclusive;orders:42}; ASCII if the key is. */
    public String text() {
        return token.value() + ";" + mode.name().toLowerCase(Locale.ROOT) + ";" + key.text();
    }

    /**
     * Parses the output of {@link #text()}.
     *
     * @throws IllegalArgumentException if the text is not a sequencer
     */
    public static Sequencer parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw malformed(text, null);
        }
        try {
            return new Sequencer(
                    LockKey.parse(parts.group(3)),
                    LockMode.valueOf(parts.group(2).toUpperCase(Locale.ROOT)),
                    new FencingToken(Long.parseLong(parts.group(1))));
        } catch (IllegalArgumentException cause) {
            throw malformed(text, cause);
        }
    }

    private static IllegalArgumentException malformed(String text, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "\"" + text + "\" is not a sequencer: expected <token>;<exclusive|shared>;<key>", cause);
    }

    @Override
    public String toString() {
        return text();
    }
}
