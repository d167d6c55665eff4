package io.distlock.jdbc.fence;

import io.distlock.LockKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The name of the table in which a fence keeps its rows, and what identifies them: a lock's key, and the source of its
 * token. {@code FenceSql} holds the statements.
 *
 * @param name the table, optionally with its schema: letters, digits and underscores, which need no quotes in any database
 * @param keyPrefix the prefix of the locks' keys at their stores; applications with different ones may share the table
 */
public record FenceTable(String name, String keyPrefix) {

    /** The name that the scripts create. */
    public static final String DEFAULT_NAME = "distributed_lock_fence";

    private static final Pattern NAME = Pattern.compile("([A-Za-z_][A-Za-z0-9_]*\\.)?[A-Za-z_][A-Za-z0-9_]*");
    private static final int MAX_KEY = 512;
    private static final int MAX_PROVIDER = 255;
    private static final int MAX_PREFIX = 128;

    /** {@link LockKey#text()} has no brace, so no lock's row begins like this. */
    private static final String FLOOR = "{floor}";

    public FenceTable {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("\"" + name + "\" is not a table name: use letters, digits and"
                    + " underscores, with one dot between schema and table");
        }
        if (keyPrefix.length() > MAX_PREFIX) {
            throw new IllegalArgumentException("key prefix \"" + keyPrefix + "\" has " + keyPrefix.length()
                    + " characters; a fence stores at most " + MAX_PREFIX + ": shorten it");
        }
    }

    /**
     * The row of a lock, {@code orders:42{lock}}: under another key prefix it is another lock. A text that does not fit is
     * replaced by its beginning and its digest.
     */
    String key(LockKey lock) {
        String text = lock.text() + "{" + keyPrefix + "}";
        if (text.length() <= MAX_KEY) {
            return text;
        }
        String digest = "{" + HexFormat.of().formatHex(sha256(text)) + "}";
        int end = MAX_KEY - digest.length();
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + digest;
    }

    /** The source of a row's token: tokens of one provider and prefix can be compared. */
    String source(String provider) {
        String source = provider + ":" + keyPrefix;
        if (source.length() + FLOOR.length() > MAX_PROVIDER) {
            throw new IllegalArgumentException("provider name \"" + provider + "\" is too long for a fence");
        }
        return source;
    }

    /** The module is that of {@code distributed-lock.<module>.initialize-schema}. */
    IllegalStateException unusable(FenceSql sql, String module, Exception failure) {
        return new IllegalStateException(
                "the fence cannot use the table " + name + ": create it with the script " + sql.script()
                        + " or set distributed-lock." + module + ".initialize-schema to always, and allow the"
                        + " application to select, insert, update and delete there",
                failure);
    }

    /** The key of the row with the largest token among the removed rows of a source. */
    static String floorOf(String source) {
        return FLOOR + source;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
