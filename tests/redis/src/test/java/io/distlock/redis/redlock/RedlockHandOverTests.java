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

    /** Those that come too late do so once, at the node that all ask first, and get no vote that they would have to withdraw. */
    @Test
    void oneWaiterAsksAllNodesAndTheOthersOnlyOne() {
        int release = NODES;
        int winner = NODES;
        int losers = WAITERS - 1;
        List<Integer> asked = new ArrayList<>();
        // After a while the losers ask all nodes, which is not to be counted: a slow machine gets several chances.
        for (int round = 0; round < ROUNDS && !asked.contains(release + winner + losers); round++) {
            asked.add(handOver("round-" + round));
        }
        assertThat(asked).contains(release + winner + losers);
    }

    /** Such as a client leaves that dies between asking the first node and the others. */
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

    /** If each message of theirs put off the time when it asks all nodes, it would never come. */
    @Test
    void aStrayVoteOfTheFirstNodeDoesNotKeepAWaiterOutWhileOthersTakeTheLockAndReleaseIt() {
        RedisServer first = RedlockTestClient.first(nodes, LockKey.of("busy"));
        try (StandingTestClient client = new StandingTestClient(nodes)) {
            CompletableFuture<HeldLock> waiting = waiter(client, "busy");
            first.probe().command("SET", "lock:{busy}", "stray:1", "PX", "600000");
            theOthers(first).forEach(node -> node.probe().command("DEL", "lock:{busy}"));
            await().pollInterval(Duration.ofMillis(50))
                    .atMost(RedlockTestClient.PATIENCE)
                    .until(() -> {
                        first.probe().command("PUBLISH", "lock:{busy}:released", "1");
                        return waiting.isDone();
                    });
            TestClient.get(waiting).close();
        }
    }

    /** Its messages are those of another release than the one that woke the waiter last, however soon they come. */
    @Test
    void aHolderWithoutTheFirstNodeWakesAWaiterThatWasWokenAMomentAgo() {
        RedisServer first = RedlockTestClient.first(nodes, LockKey.of("again"));
        try (StandingTestClient client = new StandingTestClient(nodes)) {
            CompletableFuture<HeldLock> waiting = waiter(client, "again");
            List<CommandRecorder> recorders =
                    theOthers(first).stream().map(node -> node.probe().record()).toList();
            theOthers(first).forEach(node -> node.probe().command("SET", "lock:{again}", "next.0:2", "PX", "600000"));
            first.probe().command("DEL", "lock:{again}");
            first.probe().command("PUBLISH", "lock:{again}:released", "1");
            // Twice it takes the others' refusals for a release that is on its way.
            soon().until(() -> recorders.stream().allMatch(each -> scripts(List.of(each)) >= 3));
            recorders.forEach(CommandRecorder::close);
            theOthers(first).forEach(node -> {
                node.probe().command("DEL", "lock:{again}");
                node.probe().command("PUBLISH", "lock:{again}:released", "1");
            });
            TestClient.get(waiting).close();
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

    /** It knows of a holder, listens everywhere, and time stands still. */
    private static CompletableFuture<HeldLock> waiter(StandingTestClient client, String name) {
        nodes.all().forEach(node -> node.probe().command("SET", "lock:{" + name + "}", "holder.0:1", "PX", "600000"));
        CompletableFuture<HeldLock> waiting = client.locks()
                .acquireAsync(client.locks().request(name).withWaitTime(RedlockTestClient.PATIENCE.multipliedBy(4)));
        soon().until(() -> nodes.all().stream().allMatch(node -> isHeardAt(node, name)));
        client.stopTime();
        return waiting;
    }

    private static boolean isHeardAt(RedisServer node, String name) {
        return !node.probe()
                .command("PUBSUB", "CHANNELS", "lock:{" + name + "}:released")
                .items()
                .isEmpty();
    }

    private static List<RedisServer> theOthers(RedisServer first) {
        return nodes.all().stream().filter(node -> node != first).toList();
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

    /** Scripts called from the release until the next owner has it, and the others have been refused. */
    private int handOver(String name) {
        // Counters that have never been used differ, and need the second phase.
        nodes.all().forEach(node -> node.probe().command("SET", "lock:fence", "1000"));
        LockRequest request = clients.get(0).locks.request(name).withWaitTime(RedlockTestClient.PATIENCE);
        HeldLock held = clients.get(0).locks.acquire(request);
        List<CommandRecorder> recorders =
                nodes.all().stream().map(node -> node.probe().record()).toList();
        List<CompletableFuture<HeldLock>> waiting = clients.stream()
                .skip(1)
                .map(client -> client.locks.acquireAsync(request))
                .toList();
        // Each asks all nodes, subscribes, and asks one.
        int before = WAITERS * (NODES + 1);
        soon().until(() -> scripts(recorders) >= before);
        held.release();
        soon().until(() -> waiting.stream().anyMatch(CompletableFuture::isDone));
        soon().until(() -> scripts(recorders) >= before + 2 * NODES + WAITERS - 1);
        int scripts = scripts(recorders) - before;
        recorders.forEach(CommandRecorder::close);
        waiting.forEach(each -> each.thenAccept(HeldLock::close));
        waiting.forEach(CompletableFuture::join);
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
