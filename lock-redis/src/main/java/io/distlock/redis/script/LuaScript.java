package io.distlock.redis.script;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.DigestUtils;

/** A script and the digest by which Redis knows it. */
public record LuaScript(String name, String text, String digest) {

    private static final Pattern COMMENT = Pattern.compile("(?m)^ *--.*\\R");

    /** The script in the file of that name beside this class. */
    static LuaScript named(String name) {
        return of(name, read(name));
    }

    /** The same script, preceded by that of another file. */
    LuaScript after(String file) {
        return of(name, read(file) + text);
    }

    /** The same script under another digest. */
    LuaScript withComment(String comment) {
        return of(name, "-- " + comment + '\n' + text);
    }

    private static LuaScript of(String name, String text) {
        return new LuaScript(name, text, DigestUtils.sha1DigestAsHex(text));
    }

    /** Strips comments, so that changing one does not make a new script for the server. */
    private static String read(String name) {
        String file = name + ".lua";
        try {
            return COMMENT.matcher(
                            new ClassPathResource(file, LuaScript.class).getContentAsString(StandardCharsets.UTF_8))
                    .replaceAll("");
        } catch (IOException missing) {
            throw new IllegalStateException(
                    "the script " + file + " is missing: it should be in the package of " + LuaScript.class, missing);
        }
    }
}
