package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.redis.TestClient;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What waiters ask for when a lock is released. */
class RedlockHandOverTests {

    private static final int NODES = 5;
    private static final int WAITERS = 3;
    private static final int ROUNDS = 10;

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(NODES);

    private final List<RedlockTestClient> clients = new ArrayList<>();

    @BeforeEach
    void connect() {
        for (int number = 0; number <= WAITERS; number++) {
            clients.add(RedlockTestClient.of(nodes));
        }
    }

    @AfterEach
    void disconnect() {
        clients.forEach(RedlockTestClient::close);
    }

    /** Not at the first node's message, when others may not have freed it yet; and not again at those of the rest. */
    @Test
    void aReleaseMakesAWaiterAskEachNodeOnce() {
        List<Integer> asked = new ArrayList<>();
        // On a slow machine the waiter may ask again meanwhile: it gets several chances.
        for (int round = 0; round < ROUNDS && !asked.contains(2 * NODES); round++) {
            asked.add(handOver("round-" + round));
        }
        assertThat(asked).contains(2 * NODES);
    }

    /** And so asks each node once, not twice. */
    @Test
    void whoHasWaitedBeforeListensAlready() {
        List<Integer> asked = new ArrayList<>();
        for (int round = 0; round < ROUNDS && !asked.contains(NODES); round++) {
            handOver("known");
            asked.add(asks("known"));
        }
        assertThat(asked).contains(NODES);
    }

    /** How many nodes a call asks for a lock that another holds, before it lies down. */
    private int asks(String name) {
        LockClient waiter = clients.get(1).locks;
        LockRequest request = waiter.request(name).withWaitTime(RedlockTestClient.PATIENCE);
        try (HeldLock held = clients.get(0).locks.acquire(request)) {
            List<CommandRecorder> recorders =
                    nodes.all().stream().map(node -> node.probe().record()).toList();
            CompletableFuture<HeldLock> waiting = waiter.acquireAsync(request);
            soon().until(() -> acquisitions(recorders) >= NODES);
            // With the first answer the refusal is known; with the second, what followed it has reached a majority.
            for (int look = 0; look < 2; look++) {
                assertThat(waiter.inspect(LockKey.of(name))).isPresent();
            }
            int asked = acquisitions(recorders);
            recorders.forEach(CommandRecorder::close);
            held.release();
            TestClient.get(waiting).close();
            return asked;
        }
    }

    /** The only scripts with four keys. */
    private static int acquisitions(List<CommandRecorder> recorders) {
        return recorders.stream()
                .flatMap(each -> each.commands().stream())
                .filter(command -> command.name().equals("EVALSHA")
                        && command.words().get(2).equals("4"))
                .mapToInt(command -> 1)
                .sum();
    }

    @Test
    void eachOfManyWaitersGetsTheLock() {
        LockRequest request =
                clients.get(0).locks.request("many").withWaitTime(RedlockTestClient.PATIENCE.multipliedBy(4));
        HeldLock held = clients.get(0).locks.acquire(request);
        List<CompletableFuture<Void>> waiting = clients.stream()
                .skip(1)
                .map(client -> client.locks.acquireAsync(request).thenAccept(HeldLock::close))
                .toList();
        held.release();
        waiting.forEach(TestClient::get);
    }

    /** Such as a client leaves that dies when only one node has heard it. */
    @Test
    void aStrayVoteOfAnyNodeDoesNotKeepWaitersOut() {
        for (int node = 0; node < NODES; node++) {
            LockRequest request =
                    clients.get(0).locks.request("stray").withWaitTime(RedlockTestClient.PATIENCE.multipliedBy(4));
            HeldLock held = clients.get(1).locks.acquire(request);
            CompletableFuture<HeldLock> waiting = clients.get(0).locks.acquireAsync(request);
            nodes.get(node).probe().command("SET", "lock:{stray}", "stray:1", "PX", "600000");
            held.release();
            TestClient.get(waiting).close();
            nodes.get(node).probe().command("DEL", "lock:{stray}");
        }
    }

    /** As it did while it waited, so that it would be next. */
    @Test
    void aWriterThatHasTheLockDoesNotKeepReadersOutOfANodeThatRefusedIt() {
        RedisProbe node = nodes.get(NODES - 1).probe();
        String expiry = Long.toString(System.currentTimeMillis() + 600_000);
        node.command("ZADD", "lock:{claim}:readers", expiry, "reader.0:1");
        node.command("PEXPIRE", "lock:{claim}:readers", "600000");
        LockClient client = clients.get(0).locks;
        try (HeldLock held =
                client.acquire(client.request("claim").withWaitTime(RedlockTestClient.PATIENCE.multipliedBy(20)))) {
            assertThat(held.isHeld()).isTrue();
            soon().until(() -> node.get("lock:{claim}:waiting").isEmpty());
        }
    }

    /** Readers refused the writer there, and then somebody else did: such as another contender, in a split vote. */
    @Test
    void aWriterThatHasTheLockDoesNotKeepReadersOutOfANodeThatAnotherHasTakenSince() {
        RedisProbe node = nodes.get(NODES - 1).probe();
        List<RedisProbe> others =
                theOthers(nodes.get(NODES - 1)).stream().map(RedisServer::probe).toList();
        others.forEach(each -> each.command("SET", "lock:{left}", "holder.0:1", "PX", "600000"));
        String expiry = Long.toString(System.currentTimeMillis() + 600_000);
        node.command("ZADD", "lock:{left}:readers", expiry, "reader.0:1");
        LockClient client = clients.get(0).locks;
        CompletableFuture<HeldLock> waiting =
                client.acquireAsync(client.request("left").withWaitTime(RedlockTestClient.PATIENCE.multipliedBy(20)));
        soon().until(() -> node.get("lock:{left}:waiting").isPresent());
        node.command("SET", "lock:{left}", "contender.0:1", "PX", "600000");
        node.command("DEL", "lock:{left}:readers");
        others.forEach(each -> {
            each.command("DEL", "lock:{left}");
            each.command("PUBLISH", "lock:{left}:released", "1");
        });
        try (HeldLock held = TestClient.get(waiting)) {
            assertThat(held.isHeld()).isTrue();
            soon().until(() -> node.get("lock:{left}:waiting").isEmpty());
        }
    }

    private static List<RedisServer> theOthers(RedisServer one) {
        return nodes.all().stream().filter(node -> node != one).toList();
    }

    @Test
    void aNodeThatHasLostTheLockDoesNotKeepWaitersOut() {
        for (int node = 0; node < NODES; node++) {
            LockRequest request = clients.get(0).locks.request("lost").withWaitTime(RedlockTestClient.PATIENCE);
            HeldLock held = clients.get(1).locks.acquire(request);
            CompletableFuture<HeldLock> waiting = clients.get(0).locks.acquireAsync(request);
            nodes.get(node).probe().command("DEL", "lock:{lost}");
            assertThat(waiting).isNotDone();
            held.release();
            TestClient.get(waiting).close();
        }
    }

    /** Scripts called from the release until the waiter has the lock. */
    private int handOver(String name) {
        // Counters that have never been used differ, and need the second phase.
        nodes.all().forEach(node -> node.probe().command("SET", "lock:fence", "1000"));
        LockRequest request = clients.get(0).locks.request(name).withWaitTime(RedlockTestClient.PATIENCE);
        HeldLock held = clients.get(0).locks.acquire(request);
        List<CommandRecorder> recorders =
                nodes.all().stream().map(node -> node.probe().record()).toList();
        CompletableFuture<HeldLock> waiting = clients.get(1).locks.acquireAsync(request);
        // It asks, subscribes, and asks again.
        int before = 2 * NODES;
        soon().until(() -> scripts(recorders) >= before);
        held.release();
        soon().until(() -> waiting.isDone() && scripts(recorders) >= before + 2 * NODES);
        int scripts = scripts(recorders) - before;
        recorders.forEach(CommandRecorder::close);
        TestClient.get(waiting).close();
        return scripts;
    }

    private static ConditionFactory soon() {
        return await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(RedlockTestClient.PATIENCE);
    }

    private static int scripts(List<CommandRecorder> recorders) {
        return recorders.stream()
                .mapToInt(each ->
                        (int) each.names().stream().filter("EVALSHA"::equals).count())
                .sum();
    }
}
