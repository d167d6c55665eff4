package io.distlock.benchmarks.redis;

import static io.distlock.benchmarks.redis.BareLettuce.await;

import io.distlock.benchmarks.redis.BareLettuce.BareNames;
import io.distlock.benchmarks.store.Contestant;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import java.util.Optional;

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
        Held held = take("plain:" + item);
        Long released = await(
                lettuce.commands().evalsha(release, ScriptOutputType.INTEGER, new String[] {held.key}, held.owner));
        if (released != 1) {
            throw new IllegalStateException(held.key + " was lost");
        }
    }

    /** Nothing renews it. */
    @Override
    public Optional<Object> hold(int item) {
        return Optional.of(take("plain-held:" + item));
    }

    private Held take(String key) {
        String owner = BareNames.nextOwner();
        SetArgs free = SetArgs.Builder.nx().px(Long.parseLong(BareNames.TIME_TO_LIVE_MILLIS));
        if (await(lettuce.commands().set(key, owner, free)) == null) {
            throw new IllegalStateException(key + " was not free");
        }
        return new Held(key, owner);
    }

    private record Held(String key, String owner) {}

    @Override
    public void close() {
        lettuce.close();
    }
}
