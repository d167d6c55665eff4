package io.distlock;

import java.io.Serializable;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;

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

    private static final Comparator<LockKey> CANONICAL =
            Comparator.comparing(LockKey::name).thenComparing(lock -> lock.key.orElse(""));

    public LockKey {
        KeyText.check("name", name);
        Objects.requireNonNull(key, "key must not be null: use Optional.empty() for none");
        key.ifPresent(item -> KeyText.check("key", item));
    }

    /** The lock that has a name alone. */
    public static LockKey of(String name) {
        return new LockKey(name, Optional.empty());
    }

    /** The lock of one item under a name. */
    public static LockKey of(String name, String key) {
        KeyText.check("key", key);
        return new LockKey(name, Optional.of(key));
    }

    /**
     * The key as one readable text that no other key has: {@code orders} or {@code orders:42}. The characters
     * {@code % : / { }} and white space inside a part are percent-encoded (UTF-8), so the text is safe inside a
     * Redis hash tag and as one segment of an etcd path.
     */
    public String text() {
        String encodedName = KeyText.encode(name);
        return key.isPresent() ? encodedName + ':' + KeyText.encode(key.get()) : encodedName;
    }

    /**
     * Reads back what {@link #text()} wrote.
     *
     * @throws IllegalArgumentException if a part breaks the rules of keys, or a {@code %} has no two hex digits after it
     */
    public static LockKey parse(String text) {
        int colon = text.indexOf(':');
        return colon < 0
                ? of(KeyText.decode(text))
                : of(KeyText.decode(text.substring(0, colon)), KeyText.decode(text.substring(colon + 1)));
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
}
