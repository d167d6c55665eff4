package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.support.AcquireLoop;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Only the connections that carry the messages of releases fall silent. */
class RedlockSilentSubscriptionTests {

    /** Well before the end of the holder's lease. */
    private static final Duration SOON = AcquireLoop.LONGEST_PAUSE.plusSeconds(15);

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    private final List<FaultProxy> proxies = new ArrayList<>();

    @AfterEach
    void close() {
        proxies.forEach(FaultProxy::close);
    }

    @Test
    void aWaiterGetsAFreeLockWithinSecondsAndListensAgain() throws Exception {
        List<RedisEndpoint> behindProxies = new ArrayList<>();
        for (RedisServer node : nodes.all()) {
            FaultProxy proxy = FaultProxy.to(node.host(), node.port());
            proxies.add(proxy);
            behindProxies.add(node.endpoint().withPort(proxy.port()));
        }
        try (RedlockTestClient holder = RedlockTestClient.of(nodes);
                RedlockTestClient waiter = RedlockTestClient.of(behindProxies, RedlockTestClient.UNGUARDED)) {
            Duration minute = Duration.ofMinutes(1);
            HeldLock held = holder.locks.acquire(holder.locks.request("orders").withLeaseTime(minute));
            CompletableFuture<HeldLock> asked =
                    waiter.locks.acquireAsync(waiter.locks.request("orders").withWaitTime(minute));
            List<Set<Integer>> silent = new ArrayList<>();
            for (int at = 0; at < proxies.size(); at++) {
                RedisServer node = nodes.get(at);
                await().atMost(RedlockTestClient.PATIENCE)
                        .until(() -> !node.probe().pubsubPorts().isEmpty());
                silent.add(node.probe().pubsubPorts());
                proxies.get(at).silence(silent.get(at)::contains);
            }
            for (int at = 0; at < proxies.size(); at++) {
                RedisServer node = nodes.get(at);
                Set<Integer> before = silent.get(at);
                await().atMost(RedlockTestClient.PATIENCE)
                        .until(() -> !before.containsAll(node.probe().pubsubPorts()));
            }
            assertThat(asked).isNotDone();
            proxies.forEach(proxy -> proxy.silence(port -> nodes.all().stream()
                    .anyMatch(node -> node.probe().pubsubPorts().contains(port))));
            held.release();
            asked.get(SOON.toSeconds(), TimeUnit.SECONDS).release();
        }
    }
}
