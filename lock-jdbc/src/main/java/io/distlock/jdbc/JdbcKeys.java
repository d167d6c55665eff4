package io.distlock.jdbc;

import io.distlock.LockKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The keys of all rows.
 *
 * @param prefix locks with different prefixes differ
 */
record JdbcKeys(String prefix) {

    private static final int MAX_KEY = 512;

    /**
     * The row of a lock, {@code orders:42{lock}}. A text that does not fit is replaced by its beginning and its digest. It ends
     * in a brace, since MySQL ignores spaces at the end.
     */
    String row(LockKey lock) {
        String text = lock.text() + "{" + prefix + "}";
        if (text.length() <= MAX_KEY) {
            return text;
        }
        String digest = "{" + HexFormat.of().formatHex(sha256(text)) + "}";
        int end = MAX_KEY - digest.length();
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + digest;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
