package io.distlock.benchmarks.redis;

import static io.distlock.benchmarks.redis.BareLettuce.await;

import io.distlock.benchmarks.redis.BareLettuce.BareNames;
import io.distlock.benchmarks.redis.BareLettuce.BareScripts;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.test.redis.RedisEndpoint;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

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

    /**
     * The least that the driver can do for the same locks on several servers: the provider's own two scripts to all of them at
     * once, each time until a majority has said yes. One connection for each server, and one thread for all of them, as ours:
     * which suits the driver, too. Nothing else is checked: no time limit
     * for a server, no validity, no second phase for tokens that differ, nothing taken back.
     */
    static final class ParallelLettuceContestant implements Contestant {

        private static final int PATIENCE_SECONDS = 20;

        private final EventLoopGroupProvider thread = new DefaultEventLoopGroupProvider(1);
        private final ClientResources resources =
                ClientResources.builder().eventLoopGroupProvider(thread).build();
        private final List<BareLettuce> lettuces;
        private final List<BareNames> names = BareNames.all();
        private final String acquire;
        private final String release;

        ParallelLettuceContestant(List<RedisEndpoint> endpoints) {
            lettuces = endpoints.stream()
                    .map(endpoint -> new BareLettuce(endpoint, resources))
                    .toList();
            acquire = load(BareScripts.ACQUIRE_ON_A_NODE);
            release = load(BareScripts.RELEASE);
            // Without a counter a node does not vote.
            lettuces.forEach(each -> await(each.commands().set(BareNames.FENCE_OF_A_NODE, "1")));
        }

        private String load(String script) {
            return lettuces.stream()
                    .map(each -> await(each.commands().scriptLoad(script)))
                    .distinct()
                    .reduce((one, other) -> {
                        throw new IllegalStateException("one script has two digests, " + one + " and " + other);
                    })
                    .orElseThrow();
        }

        @Override
        public String name() {
            return "bare Lettuce";
        }

        @Override
        public void cycle(int item) {
            BareNames here = names.get(item);
            String owner = BareNames.nextOwner();
            this.<List<Long>>majority(
                    node -> node.evalsha(
                            acquire,
                            ScriptOutputType.MULTI,
                            here.toAcquireOnANode,
                            owner,
                            BareNames.TIME_TO_LIVE_MILLIS,
                            BareNames.WAIT_MILLIS,
                            owner),
                    granted -> granted.get(0) == 1);
            this.<Long>majority(
                    node -> node.evalsha(
                            release, ScriptOutputType.INTEGER, here.toRelease, owner, here.channel, BareNames.FREE_NOW),
                    released -> released == 1);
        }

        private <T> void majority(
                Function<RedisAsyncCommands<String, String>, RedisFuture<T>> call, Predicate<T> accepted) {
            CountDownLatch missing = new CountDownLatch(lettuces.size() / 2 + 1);
            for (BareLettuce each : lettuces) {
                call.apply(each.commands()).thenAccept(reply -> {
                    if (accepted.test(reply)) {
                        missing.countDown();
                    }
                });
            }
            try {
                if (!missing.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("no majority of " + lettuces.size() + " servers said yes");
                }
            } catch (InterruptedException interrupt) {
                throw new IllegalStateException("interrupted", interrupt);
            }
        }

        @Override
        public void close() {
            lettuces.forEach(BareLettuce::close);
            resources.shutdown();
            thread.shutdown(0, PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }
}
