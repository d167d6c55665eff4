package io.distlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The scripts of one provider. */
record RedisScripts(
        LuaScript acquireExclusive,
        LuaScript acquireShared,
        LuaScript renew,
        LuaScript releaseExclusive,
        LuaScript releaseShared,
        LuaScript inspect) {

    private static final RedisScripts PLAIN = new RedisScripts(
            LuaScript.named("acquire-exclusive").after("token-by-clock"),
            LuaScript.named("acquire-shared").after("token-by-clock"),
            LuaScript.named("renew"),
            LuaScript.named("release-exclusive"),
            LuaScript.named("release-shared"),
            LuaScript.named("inspect"));

    static RedisScripts plain() {
        return PLAIN;
    }

    /**
     * With the restart guard. That a script is there means that somebody has admitted the server; as the quarantine is
     * part of the text, only those who agree about it admit for each other.
     */
    static RedisScripts guarded(Duration quarantine) {
        String comment = "Only on servers that were quarantined for " + quarantine.toMillis() + " ms.";
        return new RedisScripts(
                PLAIN.acquireExclusive.withComment(comment),
                PLAIN.acquireShared.withComment(comment),
                PLAIN.renew.withComment(comment),
                PLAIN.releaseExclusive.withComment(comment),
                PLAIN.releaseShared.withComment(comment),
                PLAIN.inspect.withComment(comment));
    }

    static RedisScripts with(Optional<Duration> quarantine) {
        return quarantine.map(RedisScripts::guarded).orElse(PLAIN);
    }

    List<LuaScript> all() {
        return List.of(acquireExclusive, acquireShared, renew, releaseExclusive, releaseShared, inspect);
    }
}
