package io.distlock.redis.script;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.DigestUtils;

/** A script and the digest by which Redis knows it. */
public record LuaScript(String name, String text, String digest) {

    private LuaScript(String name, String text) {
        this(name, text, DigestUtils.sha1DigestAsHex(text));
    }

    /** The script in the file of that name beside this class. */
    static LuaScript named(String name) {
        return new LuaScript(name, read(name + ".lua"));
    }

    /** The same script, preceded by that of another file. */
    LuaScript after(String file) {
        return new LuaScript(name, read(file + ".lua") + text);
    }

    /** The same script under another digest, unless the comment is empty. */
    LuaScript withComment(String comment) {
        return comment.isEmpty() ? this : new LuaScript(name, "-- " + comment + '\n' + text);
    }

    /** Strips comments, so that changing one does not make a new script for the server. */
    private static String read(String file) {
        try {
            return new ClassPathResource(file, LuaScript.class)
                    .getContentAsString(StandardCharsets.UTF_8)
                    .replaceAll("(?m)^ *--.*\\R", "");
        } catch (IOException missing) {
            throw new IllegalStateException(
                    "the script " + file + " is missing: it should be in the package of " + LuaScript.class, missing);
        }
    }
}
