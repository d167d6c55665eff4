package io.distlock.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script and the digest by which Redis knows it.
 *
 * @param name its file name without the ending
 */
public record LuaScript(String name, String text, String digest) {

    /** The script in the file of that name beside this class. */
    static LuaScript named(String name) {
        return of(name, read(name));
    }

    /** The same script, with that of another file before it. */
    LuaScript after(String file) {
        return of(name, read(file) + text);
    }

    private static String read(String name) {
        String file = name + ".lua";
        try (InputStream stream = LuaScript.class.getResourceAsStream(file)) {
            if (stream == null) {
                throw new IllegalStateException("the script " + file + " is missing beside " + LuaScript.class);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** The same script under another digest. */
    LuaScript withComment(String comment) {
        return of(name, "-- " + comment + '\n' + text);
    }

    private static LuaScript of(String name, String text) {
        return new LuaScript(name, text, sha1(text));
    }

    private static String sha1(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-1");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-1", impossible);
        }
    }
}
