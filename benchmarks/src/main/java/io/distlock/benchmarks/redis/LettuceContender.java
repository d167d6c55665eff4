package io.distlock.benchmarks.redis;

import static io.distlock.benchmarks.redis.BareLettuce.await;

import io.distlock.benchmarks.store.Contender;
import io.distlock.redis.RedisLockProvider;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * The least that the driver can do for the same locks: the provider's own two scripts, with keys and arguments of the
 * same form, on one connection. All names are made beforehand, and nothing is checked but that the lock was granted and
 * given back.
 */
final class LettuceContender implements Contender {

    private static final String OWNER = "0123456789abcdef0123456789abcdef-";
    private static final String TIME_TO_LIVE_MILLIS = "30000";
    private static final String WAIT_MILLIS = "5000";
    private static final String FREE_NOW = "0";
    private static final int RADIX = 36;

    private final BareLettuce lettuce;
    private final RedisAsyncCommands<String, String> commands;
    private final String acquire;
    private final String release;
    private final AtomicLong owners = new AtomicLong();
    private final List<Names> names =
            IntStream.range(0, ITEMS).mapToObj(Names::new).toList();

    /** What stands in Redis for one item. */
    private static final class Names {

        private final String[] toAcquire;
        private final String[] toRelease;
        private final String channel;

        Names(int item) {
            String tag = "bench:" + item;
            String lock = "bare:{" + tag + '}';
            String waiting = lock + ":waiting";
            String fence = "bare:fence:{" + Integer.toString(SlotHash.getSlot(tag), RADIX) + '}';
            this.toAcquire = new String[] {lock, lock + ":readers", waiting, fence};
            this.toRelease = new String[] {lock, waiting};
            this.channel = lock + ":released";
        }
    }

    LettuceContender(BareLettuce lettuce) {
        this.lettuce = lettuce;
        this.commands = lettuce.commands();
        this.acquire = await(commands.scriptLoad(script("token-by-clock") + script("acquire-exclusive")));
        this.release = await(commands.scriptLoad(script("release-exclusive")));
    }

    private static String script(String name) {
        String file = name + ".lua";
        try (InputStream stream = RedisLockProvider.class.getResourceAsStream(file)) {
            if (stream == null) {
                throw new IllegalStateException("the provider has no script " + file);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @Override
    public String name() {
        return "bare Lettuce";
    }

    @Override
    public void cycle(int item) {
        Names here = names.get(item);
        String owner = OWNER + Long.toString(owners.incrementAndGet(), RADIX);
        List<Long> granted = await(commands.evalsha(
                acquire, ScriptOutputType.MULTI, here.toAcquire, owner, TIME_TO_LIVE_MILLIS, WAIT_MILLIS, owner));
        Long released = await(
                commands.evalsha(release, ScriptOutputType.INTEGER, here.toRelease, owner, here.channel, FREE_NOW));
        if (granted.get(0) != 1 || released != 1) {
            throw new IllegalStateException("item " + item + " was not free");
        }
    }

    @Override
    public void close() {
        lettuce.close();
    }
}
