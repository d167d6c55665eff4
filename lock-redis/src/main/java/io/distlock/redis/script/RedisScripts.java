package io.distlock.redis.script;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The scripts of one provider. */
public record RedisScripts(
        LuaScript acquireExclusive,
        LuaScript acquireShared,
        LuaScript renew,
        LuaScript releaseExclusive,
        LuaScript releaseShared,
        LuaScript inspect) {

    public static RedisScripts single() {
        return with("token-single", "");
    }

    private static RedisScripts with(String tokens, String admission) {
        return new RedisScripts(
                LuaScript.named("acquire-exclusive").after(tokens).withComment(admission),
                LuaScript.named("acquire-shared").after(tokens).withComment(admission),
                LuaScript.named("renew").withComment(admission),
                LuaScript.named("release-exclusive").withComment(admission),
                LuaScript.named("release-shared").withComment(admission),
                LuaScript.named("inspect").withComment(admission));
    }

    public List<LuaScript> all() {
        return List.of(acquireExclusive, acquireShared, renew, releaseExclusive, releaseShared, inspect);
    }

    /** The scripts of Redlock: those of one Redis with another rule for fencing tokens, and two of its own. */
    public record Redlock(RedisScripts node, LuaScript raise, LuaScript restore) {

        /**
         * The restart guard adds its quarantine, and where the counter is: clients admit a server only for those with the
         * same.
         */
        public static Redlock with(Optional<Duration> quarantine, RedisKeys keys, List<Integer> databases) {
            String admission = quarantine
                    .map(time -> "Only on servers that were quarantined for " + time.toMillis() + " ms. Counter in "
                            + keys.fence() + ", databases " + databases + '.')
                    .orElse("");
            return new Redlock(
                    RedisScripts.with("token-redlock-node", admission),
                    LuaScript.named("raise-token").withComment(admission),
                    LuaScript.named("restore-grant").withComment(admission));
        }

        public List<LuaScript> all() {
            return Stream.concat(node.all().stream(), Stream.of(raise, restore)).toList();
        }
    }
}
