package io.distlock.benchmarks.redis;

import static io.distlock.benchmarks.redis.BareLettuce.await;

import io.distlock.benchmarks.redis.BareLettuce.BareNames;
import io.distlock.benchmarks.redis.BareLettuce.BareScripts;
import io.distlock.benchmarks.store.Contestant;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.List;

/**
 * The least that the driver can do for the same locks: the provider's own two scripts, with keys and arguments of the
 * same form, on one connection. All names are made beforehand, and nothing is checked but that the lock was granted and
 * given back.
 */
final class LettuceContestant implements Contestant {

    private final BareLettuce lettuce;
    private final RedisAsyncCommands<String, String> commands;
    private final String acquire;
    private final String release;
    private final List<BareNames> names = BareNames.all();

    LettuceContestant(BareLettuce lettuce) {
        this.lettuce = lettuce;
        this.commands = lettuce.commands();
        this.acquire = await(commands.scriptLoad(BareScripts.ACQUIRE));
        this.release = await(commands.scriptLoad(BareScripts.RELEASE));
    }

    @Override
    public String name() {
        return "bare Lettuce";
    }

    @Override
    public void cycle(int item) {
        BareNames here = names.get(item);
        String owner = BareNames.nextOwner();
        List<Long> granted = await(commands.evalsha(
                acquire,
                ScriptOutputType.MULTI,
                here.toAcquire,
                owner,
                BareNames.TIME_TO_LIVE_MILLIS,
                BareNames.WAIT_MILLIS,
                owner));
        Long released = await(commands.evalsha(
                release, ScriptOutputType.INTEGER, here.toRelease, owner, here.channel, BareNames.FREE_NOW));
        if (granted.get(0) != 1 || released != 1) {
            throw new IllegalStateException("item " + item + " was not free");
        }
    }

    @Override
    public void close() {
        lettuce.close();
    }
}
