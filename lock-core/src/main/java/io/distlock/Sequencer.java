package io.distlock;

import java.util.Locale;

/**
 * Proof of one grant, for the resource that the lock protects. Send it as {@link #text()}, such as in an HTTP header;
 * the receiver calls {@link LockClient#isCurrent(Sequencer)}, or compares tokens itself.
 *
 * @param key the lock
 * @param mode how it is held
 * @param token the grant's token
 */
public record Sequencer(LockKey key, LockMode mode, FencingToken token) {

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
        try {
            String[] parts = text.split(";", 3);
            return new Sequencer(
                    LockKey.parse(parts[2]),
                    LockMode.valueOf(parts[1].toUpperCase(Locale.ROOT)),
                    new FencingToken(Long.parseLong(parts[0])));
        } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a sequencer: expected <token>;<exclusive|shared>;<key>", malformed);
        }
    }

    @Override
    public String toString() {
        return text();
    }
}
