package io.distlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The scripts of one provider. */
record RedisScripts(
        LuaScript acquireExclusive,
        LuaScript acquireShared,
        LuaScript renew,
        LuaScript releaseExclusive,
        LuaScript releaseShared,
        LuaScript inspect) {

    static RedisScripts with(Optional<Duration> quarantine) {
        return with("token-by-clock", quarantine);
    }

    private static RedisScripts with(String tokens, Optional<Duration> quarantine) {
        return new RedisScripts(
                admitted(LuaScript.named("acquire-exclusive").after(tokens), quarantine),
                admitted(LuaScript.named("acquire-shared").after(tokens), quarantine),
                admitted(LuaScript.named("renew"), quarantine),
                admitted(LuaScript.named("release-exclusive"), quarantine),
                admitted(LuaScript.named("release-shared"), quarantine),
                admitted(LuaScript.named("inspect"), quarantine));
    }

    /**
     * With the restart guard, has one line more. That a script is there means that somebody has admitted the server; as the
     * quarantine is part of the text, only those who agree about it admit for each other.
     */
    private static LuaScript admitted(LuaScript script, Optional<Duration> quarantine) {
        return quarantine
                .map(time ->
                        script.withComment("Only on servers that were quarantined for " + time.toMillis() + " ms."))
                .orElse(script);
    }

    List<LuaScript> all() {
        return List.of(acquireExclusive, acquireShared, renew, releaseExclusive, releaseShared, inspect);
    }

    /**
     * The scripts of Redlock: those of one Redis with another rule for fencing tokens, and two of its own.
     *
     * @param raise second phase of fencing
     * @param restore for a node that has lost a lock
     */
    record Redlock(RedisScripts node, LuaScript raise, LuaScript restore) {

        static Redlock with(Optional<Duration> quarantine) {
            return new Redlock(
                    RedisScripts.with("token-by-counter", quarantine),
                    admitted(LuaScript.named("raise"), quarantine),
                    admitted(LuaScript.named("restore"), quarantine));
        }

        List<LuaScript> all() {
            return Stream.concat(node.all().stream(), Stream.of(raise, restore)).toList();
        }
    }
}
