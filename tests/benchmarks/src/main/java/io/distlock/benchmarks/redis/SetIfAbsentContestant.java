package io.distlock.benchmarks.redis;

import static io.distlock.benchmarks.redis.BareLettuce.await;

import io.distlock.benchmarks.redis.BareLettuce.BareNames;
import io.distlock.benchmarks.store.Contestant;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;

/** The usual recipe by the bare driver: SET NX PX, and a script that compares and deletes. No token, no shared mode. */
final class SetIfAbsentContestant implements Contestant {

    private static final String RELEASE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

    private final BareLettuce lettuce;
    private final String release;

    SetIfAbsentContestant(BareLettuce lettuce) {
        this.lettuce = lettuce;
        this.release = await(lettuce.commands().scriptLoad(RELEASE));
    }

    @Override
    public String name() {
        return "bare SET NX";
    }

    @Override
    public void cycle(int item) {
        String key = "plain:" + item;
        String owner = BareNames.nextOwner();
        SetArgs free = SetArgs.Builder.nx().px(Long.parseLong(BareNames.TIME_TO_LIVE_MILLIS));
        String granted = await(lettuce.commands().set(key, owner, free));
        Long released = await(lettuce.commands().evalsha(release, ScriptOutputType.INTEGER, new String[] {key}, owner));
        if (granted == null || released != 1) {
            throw new IllegalStateException("item " + item + " was not free");
        }
    }

    @Override
    public void close() {
        lettuce.close();
    }
}
