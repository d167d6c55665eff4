package io.distlock;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is locked: a name, and optionally one item under that name ({@code orders}, or item {@code 42} of
 * {@code orders}). Two keys are the same lock exactly when both parts are equal: the name {@code a:b} and the
 * item {@code b} of {@code a} never meet.
 *
 * <p>Each part is 1 to {@value #MAX_BYTES} bytes of UTF-8, not blank, free of control characters and of lone
 * surrogates; anything else is an {@link IllegalArgumentException} here, before any I/O.
 *
 * @param name a bounded label, such as a use case; metrics are tagged with it
 * @param key the item under that name, if the lock is about one item
 */
public record LockKey(String name, Optional<String> key) implements Comparable<LockKey>, Serializable {

    /** The most bytes, in UTF-8, that a name or a key may have. */
    public static final int MAX_BYTES = 512;

    /** So many characters of a refused value stand in the message. */
    private static final int SHOWN = 60;

    private static final Comparator<LockKey> CANONICAL =
            Comparator.comparing(LockKey::name).thenComparing(lock -> lock.key.orElse(""));

    public LockKey {
        check("name", name);
        Objects.requireNonNull(key, "key must not be null: use Optional.empty() for none");
        key.ifPresent(item -> check("key", item));
    }

    /** The lock that has a name alone. */
    public static LockKey of(String name) {
        return new LockKey(name, Optional.empty());
    }

    /** The lock of one item under a name. */
    public static LockKey of(String name, String key) {
        check("key", key);
        return new LockKey(name, Optional.of(key));
    }

    /**
     * The key as one readable text that no other key has: {@code orders} or {@code orders:42}. The characters
     * {@code % : / { }} and white space inside a part are percent-encoded (UTF-8), so the text is safe inside a
     * Redis hash tag and as one segment of an etcd path.
     */
    public String text() {
        String encodedName = encode(name);
        return key.isPresent() ? encodedName + ':' + encode(key.get()) : encodedName;
    }

    /**
     * Reads back what {@link #text()} wrote.
     *
     * @throws IllegalArgumentException if a part breaks the rules of keys, or a {@code %} has no two hex digits after it
     */
    public static LockKey parse(String text) {
        int colon = text.indexOf(':');
        return colon < 0 ? of(decode(text)) : of(decode(text.substring(0, colon)), decode(text.substring(colon + 1)));
    }

    /** By name, then by key, the name alone first: the order in which several locks are taken. */
    @Override
    public int compareTo(LockKey other) {
        return CANONICAL.compare(this, other);
    }

    @Override
    public String toString() {
        return text();
    }

    /** An Optional cannot be serialised. */
    private Object writeReplace() {
        return new Serialised(text());
    }

    private record Serialised(String text) implements Serializable {

        private Object readResolve() {
            return parse(text);
        }
    }

    /** Refuses a part that is not a usable name or key; the message says the value, the rule and the cure. */
    private static void check(String what, @Nullable String value) {
        if (value == null) {
            throw new IllegalArgumentException("lock " + what + " is null: give a " + what + " that is not blank");
        }
        if (value.isBlank()) {
            throw new IllegalArgumentException(
                    "lock " + what + " \"" + show(value) + "\" is blank: give a " + what + " with visible characters");
        }
        // Each character makes one byte at least, so a long text is refused without looking at all of it.
        int bytes = value.length() > MAX_BYTES ? value.length() : checkedUtf8Length(what, value);
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("lock " + what + " \"" + show(value) + "\" has " + bytes
                    + " bytes or more in UTF-8; at most " + MAX_BYTES
                    + " are allowed: lock a shorter identifier, or a digest of it");
        }
    }

    private static int checkedUtf8Length(String what, String value) {
        int bytes = 0;
        int next;
        for (int at = 0; at < value.length(); at += next) {
            int codePoint = value.codePointAt(at);
            next = Character.charCount(codePoint);
            if (Character.isISOControl(codePoint)) {
                throw new IllegalArgumentException("lock " + what + " \"" + show(value)
                        + "\" has a control character at index " + at + ": remove it, or encode the value");
            }
            if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
                throw new IllegalArgumentException("lock " + what + " \"" + show(value)
                        + "\" has a lone surrogate at index " + at + ", which is no character: mend the text");
            }
            bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
        }
        return bytes;
    }

    private static String encode(String part) {
        int at = 0;
        while (at < part.length() && !isReserved(part.charAt(at))) {
            at++;
        }
        return at == part.length() ? part : encodeFrom(part, at);
    }

    private static String encodeFrom(String part, int first) {
        StringBuilder encoded = new StringBuilder(part.length() + 8).append(part, 0, first);
        for (int at = first; at < part.length(); at++) {
            char c = part.charAt(at);
            if (isReserved(c)) {
                for (byte b : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
                    encoded.append(String.format(Locale.ROOT, "%%%02X", b));
                }
            } else {
                encoded.append(c);
            }
        }
        return encoded.toString();
    }

    private static String decode(String encoded) {
        if (encoded.indexOf('%') < 0) {
            return encoded;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] utf8 = encoded.getBytes(StandardCharsets.UTF_8);
        for (int at = 0; at < utf8.length; at++) {
            if (utf8[at] == '%') {
                bytes.write(hexByte(encoded, utf8, at));
                at += 2;
            } else {
                bytes.write(utf8[at]);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static int hexByte(String encoded, byte[] utf8, int at) {
        int high = at + 2 < utf8.length ? Character.digit(utf8[at + 1], 16) : -1;
        int low = at + 2 < utf8.length ? Character.digit(utf8[at + 2], 16) : -1;
        if (high < 0 || low < 0) {
            throw new IllegalArgumentException(
                    "\"" + show(encoded) + "\" is no encoded lock key: a '%' must be followed by two hex digits");
        }
        return high * 16 + low;
    }

    private static boolean isReserved(char c) {
        return switch (c) {
            case '%', ':', '/', '{', '}' -> true;
            default -> Character.isWhitespace(c);
        };
    }

    /** The value for a message: shortened, and with what cannot be seen written as an escape. */
    private static String show(String value) {
        StringBuilder shown = new StringBuilder();
        value.codePoints().limit(SHOWN).forEach(c -> {
            if (Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE) {
                shown.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                shown.appendCodePoint(c);
            }
        });
        return value.length() > SHOWN ? shown.append("…").toString() : shown.toString();
    }
}
