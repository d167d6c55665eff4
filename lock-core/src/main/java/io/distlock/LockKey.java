package io.distlock;

import java.io.Serializable;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is locked: a name ({@code orders}), or one item under a name (item {@code 42} of {@code orders}). Two keys are the
 * same lock only if both parts are equal: the name {@code a:b} is not the item {@code b} of {@code a}.
 *
 * <p>Each part is 1 to {@value #MAX_BYTES} bytes of UTF-8, not blank, without control characters or lone surrogates;
 * anything else throws {@link IllegalArgumentException} here, before any I/O.
 *
 * @param name a label from a bounded set, such as a use case; metrics are tagged with it
 * @param key the item under that name, if any
 */
public record LockKey(String name, Optional<String> key) implements Comparable<LockKey>, Serializable {

    /** The most bytes of UTF-8 in a name or a key. */
    public static final int MAX_BYTES = 512;

    /** How much of a rejected value a message shows. */
    private static final int SHOWN = 60;

    private static final Comparator<LockKey> CANONICAL =
            Comparator.comparing(LockKey::name).thenComparing(lock -> lock.key.orElse(""));

    public LockKey {
        check("name", name);
        Objects.requireNonNull(key, "key must not be null: use Optional.empty() for none");
        key.ifPresent(item -> check("key", item));
    }

    /** The lock on a name alone. */
    public static LockKey of(String name) {
        return new LockKey(name, Optional.empty());
    }

    /** The lock on one item under a name. */
    public static LockKey of(String name, String key) {
        return new LockKey(name, Optional.of(given("key", key)));
    }

    /**
     * The key of one of several permits of this key: the key itself for the first, then {@code orders:#2} of {@code orders},
     * or {@code orders:42#2} of {@code orders:42}.
     *
     * @param permit from 1 on
     * @throws IllegalArgumentException if it is less, or the key has no room for the number
     */
    public LockKey permit(int permit) {
        if (permit < 1) {
            throw new IllegalArgumentException("there is no permit " + permit + ": the first is 1");
        }
        return permit == 1 ? this : of(name, key.orElse("") + '#' + permit);
    }

    /**
     * The key as readable, unique text: {@code orders} or {@code orders:42}. The characters {@code % : / { }} and white
     * space inside a part are percent-encoded (UTF-8), so the text is safe in a Redis hash tag and as one segment of an
     * etcd path.
     */
    public String text() {
        String encodedName = encode(name);
        return key.isPresent() ? encodedName + ':' + encode(key.get()) : encodedName;
    }

    /**
     * Parses the output of {@link #text()}.
     *
     * @throws IllegalArgumentException if a part breaks the rules for keys, or a {@code %} lacks two hex digits
     */
    public static LockKey parse(String text) {
        int colon = text.indexOf(':');
        return colon < 0 ? of(decode(text)) : of(decode(text.substring(0, colon)), decode(text.substring(colon + 1)));
    }

    /** By name, then by key, the name alone first: the order in which several locks are acquired. */
    @Override
    public int compareTo(LockKey other) {
        return CANONICAL.compare(this, other);
    }

    @Override
    public String toString() {
        return text();
    }

    /** An Optional is not serialisable. */
    private Object writeReplace() {
        return new Serialised(text());
    }

    private record Serialised(String text) implements Serializable {

        private Object readResolve() {
            return parse(text);
        }
    }

    private static void check(String what, @Nullable String part) {
        String value = given(what, part);
        if (value.isBlank()) {
            throw new IllegalArgumentException(
                    "lock " + what + " \"" + show(value) + "\" is blank: give a " + what + " with visible characters");
        }
        // Each character takes at least a byte, so long text is rejected without reading it all.
        int bytes = value.length() > MAX_BYTES ? value.length() : checkedUtf8Length(what, value);
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("lock " + what + " \"" + show(value) + "\" has " + bytes
                    + " bytes or more in UTF-8; at most " + MAX_BYTES
                    + " are allowed: lock a shorter identifier, or a digest of it");
        }
    }

    private static String given(String what, @Nullable String part) {
        if (part == null) {
            throw new IllegalArgumentException("lock " + what + " is null: give a " + what + " that is not blank");
        }
        return part;
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
                        + "\" has a lone surrogate at index " + at + ", which is not a character: correct the text");
            }
            bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
        }
        return bytes;
    }

    private static String encode(String part) {
        for (int at = 0; at < part.length(); at++) {
            if (isReserved(part.charAt(at))) {
                String escape = URLEncoder.encode(part.substring(at, at + 1), StandardCharsets.UTF_8);
                return part.substring(0, at) + escape.replace("+", "%20") + encode(part.substring(at + 1));
            }
        }
        return part;
    }

    private static String decode(String encoded) {
        try {
            // In a URL a plus is a space; here it is a plus.
            return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException(
                    "\"" + show(encoded) + "\" is not an encoded lock key: a '%' must be followed by two hex digits",
                    malformed);
        }
    }

    private static boolean isReserved(char c) {
        return switch (c) {
            case '%', ':', '/', '{', '}' -> true;
            default -> Character.isWhitespace(c);
        };
    }

    /** The value for a message: shortened, with invisible characters escaped. */
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
