package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.support.AcquireLoop;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisCluster;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Only the connection that carries the messages of releases falls silent. */
class SilentSubscriptionTests {

    /** Well before the end of the holder's lease, which is a minute. */
    private static final Duration SOON = AcquireLoop.LONGEST_PAUSE.plusSeconds(15);

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    @Test
    void aWaiterGetsAFreeLockWithinSecondsAndIsToldOfTheNextRelease(RedisProbe probe) throws Exception {
        try (FaultProxy proxy =
                        FaultProxy.to(redis.server().host(), redis.server().port());
                TestClient holder = TestClient.of(redis.server().endpoint());
                TestClient waiter =
                        TestClient.of(redis.server().endpoint().withPort(proxy.port()), RedisLockOptions.defaults())) {
            HeldLock held = holder.locks.acquire(holder.locks.request("orders"));
            CompletableFuture<HeldLock> asked = wait(waiter, "orders");
            await().atMost(TestClient.PATIENCE).until(() -> !probe.pubsubPorts().isEmpty());
            Set<Integer> silent = probe.pubsubPorts();
            proxy.silence(silent::contains);
            held.release();
            HeldLock taken = asked.get(SOON.toSeconds(), TimeUnit.SECONDS);

            CompletableFuture<HeldLock> next =
                    holder.locks.acquireAsync(holder.locks.request("orders").withWaitTime(Duration.ofMinutes(1)));
            taken.release();
            HeldLock third = next.get(SOON.toSeconds(), TimeUnit.SECONDS);
            CompletableFuture<HeldLock> again = wait(waiter, "orders");
            await().atMost(TestClient.PATIENCE).until(() -> !silent.containsAll(probe.pubsubPorts()));
            third.release();
            again.get(SOON.toSeconds(), TimeUnit.SECONDS).release();
        }
    }

    @Test
    void ofAClusterIsReplacedWhileSomebodyWaits() throws Exception {
        RedisServerOptions partial = RedisServerOptions.defaults().withConfig("cluster-require-full-coverage no");
        try (RedisCluster cluster = RedisCluster.start(partial);
                TestClient holder = TestClient.of(factory(cluster), TestClient.PATIENT);
                TestClient waiter = TestClient.of(factory(cluster), RedisLockOptions.defaults())) {
            HeldLock first = holder.locks.acquire(holder.locks.request("orders"));
            CompletableFuture<HeldLock> second = wait(waiter, "orders");
            await().atMost(TestClient.PATIENCE)
                    .until(() -> cluster.nodes().stream().anyMatch(SilentSubscriptionTests::isListenedTo));
            RedisServer silent = cluster.nodes().stream()
                    .filter(SilentSubscriptionTests::isListenedTo)
                    .findFirst()
                    .orElseThrow();
            String elsewhere = Stream.iterate(0, i -> i + 1)
                    .map(i -> "orders" + i)
                    .filter(name -> cluster.nodeOf("lock:{" + name + "}") != silent)
                    .findFirst()
                    .orElseThrow();
            HeldLock held = holder.locks.acquire(holder.locks.request(elsewhere));
            CompletableFuture<HeldLock> asked = wait(waiter, elsewhere);
            silent.freeze();
            try {
                await().atMost(TestClient.PATIENCE)
                        .until(() -> cluster.nodes().stream().anyMatch(node -> node != silent && isListenedTo(node)));
                held.release();
                asked.get(SOON.toSeconds(), TimeUnit.SECONDS).release();
            } finally {
                silent.thaw();
            }
            first.release();
            second.get(SOON.toSeconds(), TimeUnit.SECONDS).release();
        }
    }

    private static boolean isListenedTo(RedisServer node) {
        return !node.probe().pubsubPorts().isEmpty();
    }

    private static CompletableFuture<HeldLock> wait(TestClient client, String name) {
        CompletableFuture<HeldLock> asked =
                client.locks.acquireAsync(client.locks.request(name).withWaitTime(Duration.ofMinutes(1)));
        assertThat(asked).isNotDone();
        return asked;
    }

    private static LettuceConnectionFactory factory(RedisCluster cluster) {
        RedisClusterConfiguration configuration = new RedisClusterConfiguration();
        cluster.nodes().forEach(each -> configuration.addClusterNode(new RedisNode(each.host(), each.port())));
        return new LettuceConnectionFactory(configuration);
    }
}
