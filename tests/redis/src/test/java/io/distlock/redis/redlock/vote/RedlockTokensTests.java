package io.distlock.redis.redlock.vote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.redis.TestClient;
import io.distlock.redis.redlock.RedlockConnections;
import io.distlock.redis.redlock.RedlockProvider;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.support.LockRuntime;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Fencing tokens while several clients contend for a lock, nodes go away and come back, and their counters disagree. How
 * many acquisitions: {@value #ACQUISITIONS}.
 */
@Timeout(value = 14, unit = TimeUnit.MINUTES) // for the long form
class RedlockTokensTests {

    private static final String ACQUISITIONS = "distlock.test.redlock.acquisitions";

    private static final int CLIENTS = 3;

    /** Of so many disturbances, the first is followed by a node's death. */
    private static final int PER_DEATH = 20;

    private static final LockKey KEY = LockKey.of("orders");
    private static final String COUNTER = "lock:fence";

    private static final String COUNT =
            "return redis.call('EXISTS', KEYS[1]) == 1 and redis.call('INCRBY', KEYS[1], ARGV[1])";

    @RegisterExtension
    static final RedisServersExtension nodes =
            RedisServersExtension.create(3, RedisServerOptions.defaults().withPersistence());

    static RedlockConnections connections;

    @BeforeAll
    static void open() {
        connections = RedlockTestClient.connections(nodes, RedlockTestClient.UNGUARDED);
        RedlockTestClient.of(nodes).close();
    }

    @AfterAll
    static void close() {
        connections.close();
    }

    @Test
    void growFromHolderToHolderWhateverHappensToAMinority() {
        Contention contention = contend();
        assertThat(repeats(contention.tokens())).isZero();
        assertThat(contention.tokens()).hasSize(acquisitions());
        assertThat(contention.trouble().disturbances()).isPositive();
        assertThat(contention.trouble().deaths()).isPositive();
    }

    private static int acquisitions() {
        return Integer.getInteger(ACQUISITIONS, 200);
    }

    /** How many tokens are not larger than that of the holder before. */
    private static long repeats(List<Long> tokens) {
        synchronized (tokens) {
            return IntStream.range(1, tokens.size())
                    .filter(at -> tokens.get(at) <= tokens.get(at - 1))
                    .count();
        }
    }

    /**
     * The tokens in the order of the holders, each of which notes its own while it holds.
     */
    private static Contention contend() {
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger left = new AtomicInteger(acquisitions());
        List<CompletableFuture<Void>> workers = new ArrayList<>();
        for (int number = 0; number < CLIENTS; number++) {
            workers.add(CompletableFuture.runAsync(
                    () -> work(left, tokens), task -> new Thread(task, "contender").start()));
        }
        Trouble trouble = disturb(workers, tokens);
        workers.forEach(TestClient::get);
        System.out.printf(
                "%,d acquisitions by %d clients, %,d disturbances, %,d deaths of nodes: %,d tokens not"
                        + " larger than the one before%n",
                tokens.size(), CLIENTS, trouble.disturbances(), trouble.deaths(), repeats(tokens));
        return new Contention(tokens, trouble);
    }

    private static void work(AtomicInteger left, List<Long> tokens) {
        LockRuntime runtime = LockRuntime.start();
        RedlockProvider provider = new RedlockProvider(runtime, connections, RedlockTestClient.UNGUARDED);
        LockClient client = LockClientBuilder.of(provider, runtime)
                .options(LockOptions.defaults()
                        .withLeaseTime(Duration.ofSeconds(15))
                        .withWaitTime(Duration.ofSeconds(60)))
                .build();
        while (left.getAndDecrement() > 0) {
            try (HeldLock held = client.acquire(client.request(KEY))) {
                tokens.add(held.fencingToken().value());
            }
        }
        client.close();
        provider.close();
        runtime.close();
    }

    private record Trouble(int disturbances, int deaths) {}

    private record Contention(List<Long> tokens, Trouble trouble) {}

    /** Never more than one node at a time is away. */
    private static Trouble disturb(List<CompletableFuture<Void>> workers, List<Long> tokens) {
        Random random = new Random(4);
        int disturbances = 0;
        int deaths = 0;
        while (!isOver(workers)) {
            RedisServer node = nodes.get(random.nextInt(nodes.all().size()));
            switch (random.nextInt(3)) {
                // Sees nothing of what the others grant, and is behind when it is back.
                case 0 -> node.probe().command("CLIENT", "PAUSE", "40", "ALL");
                // By other locks that share the counter.
                case 1 -> node.probe().command("EVAL", COUNT, "1", COUNTER, Integer.toString(random.nextInt(20)));
                // Lost, on one node; it goes on from the node's clock.
                default -> nodes.get(0).probe().command("DEL", COUNTER);
            }
            node.probe().command("PING");
            disturbances++;
            if (disturbances % PER_DEATH == 1) {
                die(node, workers, tokens);
                deaths++;
            }
        }
        return new Trouble(disturbances, deaths);
    }

    /** Killed, and started again with what it had, once the others have gone on without it. */
    private static void die(RedisServer node, List<CompletableFuture<Void>> workers, List<Long> tokens) {
        int connections = node.probe().clientCount();
        int before = tokens.size();
        node.kill();
        await().atMost(TestClient.PATIENCE).until(() -> tokens.size() > before + CLIENTS || isOver(workers));
        node.restart();
        await().atMost(TestClient.PATIENCE).until(() -> node.probe().clientCount() >= connections || isOver(workers));
    }

    private static boolean isOver(List<CompletableFuture<Void>> workers) {
        return workers.stream().allMatch(CompletableFuture::isDone);
    }
}
