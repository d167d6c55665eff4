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
     * With the restart guard, a line of each script. That a script is there means that somebody has admitted the server; as
     * the quarantine is part of the text, only those who agree about it admit for each other.
     */
    static String admission(Duration quarantine) {
        return "Only on servers that were quarantined for " + quarantine.toMillis() + " ms.";
    }

    /** Whoever admits a node of Redlock has set the base of its own counters alone: only those who share them agree. */
    static String admission(Duration quarantine, RedisKeys keys, List<Integer> databases) {
        return admission(quarantine) + " Counters in " + keys.fences() + ", databases " + databases + '.';
    }

    RedisScripts withComment(String comment) {
        return new RedisScripts(
                acquireExclusive.withComment(comment),
                acquireShared.withComment(comment),
                renew.withComment(comment),
                releaseExclusive.withComment(comment),
                releaseShared.withComment(comment),
                inspect.withComment(comment));
    }

    static RedisScripts with(Optional<Duration> quarantine) {
        return quarantine.map(RedisScripts::admission).map(PLAIN::withComment).orElse(PLAIN);
    }

    List<LuaScript> all() {
        return List.of(acquireExclusive, acquireShared, renew, releaseExclusive, releaseShared, inspect);
    }
}
