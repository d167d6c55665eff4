package io.distlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The scripts of Redlock: those of one Redis with another rule for fencing tokens, and two of its own.
 *
 * @param raise second phase of fencing
 * @param restore for a node that has lost a lock
 */
record RedlockScripts(RedisScripts node, LuaScript raise, LuaScript restore) {

    /**
     * @param admission with the restart guard, as {@link RedisScripts#admission(java.time.Duration, RedisKeys, List)}
     */
    static RedlockScripts with(Optional<String> admission) {
        RedisScripts plain = RedisScripts.plain();
        RedlockScripts scripts = new RedlockScripts(
                new RedisScripts(
                        LuaScript.named("acquire-exclusive").after("token-by-counter"),
                        LuaScript.named("acquire-shared").after("token-by-counter"),
                        plain.renew(),
                        plain.releaseExclusive(),
                        plain.releaseShared(),
                        plain.inspect()),
                LuaScript.named("raise"),
                LuaScript.named("restore"));
        return admission.map(scripts::withComment).orElse(scripts);
    }

    private RedlockScripts withComment(String comment) {
        return new RedlockScripts(node.withComment(comment), raise.withComment(comment), restore.withComment(comment));
    }

    List<LuaScript> all() {
        List<LuaScript> all = new ArrayList<>(node.all());
        all.add(raise);
        all.add(restore);
        return all;
    }
}
