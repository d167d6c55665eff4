package io.distlock;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The rules for the parts of a {@link LockKey} and their percent-encoding. */
final class KeyText {

    private static final int SHOWN = 60;

    private KeyText() {}

    /** Refuses a part that is not a usable name or key; the message says the value, the rule and the cure. */
    static void check(String what, @Nullable String value) {
        if (value == null) {
            throw new IllegalArgumentException("lock " + what + " is null: give a " + what + " that is not blank");
        }
        if (value.isBlank()) {
            throw new IllegalArgumentException(
                    "lock " + what + " \"" + show(value) + "\" is blank: give a " + what + " with visible characters");
        }
        // Each character makes one byte at least, so a long text is refused without looking at all of it.
        int bytes = value.length() > LockKey.MAX_BYTES ? value.length() : checkedUtf8Length(what, value);
        if (bytes > LockKey.MAX_BYTES) {
            throw new IllegalArgumentException("lock " + what + " \"" + show(value) + "\" has " + bytes
                    + " bytes or more in UTF-8; at most " + LockKey.MAX_BYTES
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

    static String encode(String part) {
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

    static String decode(String encoded) {
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
