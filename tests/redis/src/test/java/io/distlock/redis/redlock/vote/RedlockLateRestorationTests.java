package io.distlock.redis.redlock.vote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.redis.TestClient;
import io.distlock.redis.redlock.RedlockConnections;
import io.distlock.redis.redlock.RedlockProvider;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.redis.script.RedisKeys;
import io.distlock.redis.script.RedisScripts;
import io.distlock.spi.Deadline;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RecordedCommand;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedlockLateRestorationTests {

    private static final String LOCK = "lock:{orders}";

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    /** It has to load its script first, and so is overtaken by the release. */
    @Test
    void aRestorationThatReachesItsNodeAfterTheReleaseIsTakenBack() {
        RedisServer slow = nodes.get(2);
        List<RedisEndpoint> endpoints = new ArrayList<>(RedlockTestClient.endpoints(nodes));
        try (FaultProxy proxy = FaultProxy.to(slow.host(), slow.port())) {
            endpoints.set(2, slow.endpoint().withPort(proxy.port()));
            try (RedlockTestClient client = RedlockTestClient.of(endpoints, RedlockTestClient.PATIENT);
                    CommandRecorder recorder = slow.probe().record()) {
                awaitVoting(client, slow);
                slow.probe().scriptFlush();
                RedisScripts.Redlock.with(Optional.empty(), new RedisKeys("lock", 0), List.of(0, 0, 0)).all().stream()
                        .filter(script -> !script.name().equals("restore-grant"))
                        .forEach(script -> slow.probe().command("SCRIPT", "LOAD", script.text()));
                slow.probe().command("SET", LOCK, "another.0:5");
                slow.probe().command("CONFIG", "RESETSTAT");
                proxy.delayReplies(Duration.ofMillis(300));
                HeldLock held = client.locks.acquire(client.locks
                        .request("orders")
                        .withLockDelay(Duration.ofMinutes(1))
                        .withWaitTime(RedlockTestClient.PATIENCE));
                await().atMost(RedlockTestClient.PATIENCE)
                        .until(() -> slow.probe().info("commandstats").containsKey("cmdstat_evalsha"));
                slow.probe().command("DEL", LOCK);
                // The one that is told that its script is missing.
                awaitRestorations(recorder, 1);
                assertThat(held.release()).isEqualTo(Release.RELEASED);
                awaitRestorations(recorder, 2);
                await().atMost(RedlockTestClient.PATIENCE)
                        .until(() -> slow.probe().get(LOCK).isEmpty());
                proxy.delayReplies(Duration.ZERO);
            }
        }
    }

    /** What was restored hides it from the release. */
    @Test
    void aVoteThatIsCarriedOutAfterTheReleaseOfWhatWasRestoredIsWithdrawn() {
        RedisServer third = nodes.get(2);
        List<RedisEndpoint> endpoints = new ArrayList<>(RedlockTestClient.endpoints(nodes));
        try (FaultProxy proxy = FaultProxy.to(third.host(), third.port())) {
            endpoints.set(2, third.endpoint().withPort(proxy.port()));
            try (RedlockTestClient client = RedlockTestClient.of(endpoints, RedlockTestClient.PATIENT);
                    CommandRecorder recorder = nodes.get(0).probe().record()) {
                awaitVoting(client, third);
                proxy.cutBeforeNextRequest();
                HeldLock held = client.locks.acquire(client.locks
                        .request("orders")
                        .withLeaseTime(Duration.ofMinutes(1))
                        .withRenew(false)
                        .withWaitTime(RedlockTestClient.PATIENCE));
                await().atMost(RedlockTestClient.PATIENCE)
                        .until(() -> third.probe()
                                .get(LOCK)
                                .filter(value -> value.endsWith(":" + held.fencingToken()))
                                .isPresent());
                RecordedCommand late = recorder.commands().stream()
                        .filter(command -> command.name().equals("EVALSHA")
                                && command.words().contains(LOCK))
                        .findFirst()
                        .orElseThrow();
                assertThat(held.release()).isEqualTo(Release.RELEASED);
                await().pollInterval(Duration.ofMillis(1))
                        .atMost(RedlockTestClient.PATIENCE)
                        .until(() -> third.probe().get(LOCK).isEmpty());
                third.probe().command(late.words().toArray(String[]::new));
                await().atMost(RedlockTestClient.PATIENCE)
                        .until(() -> third.probe().get(LOCK).isEmpty());
            }
        }
    }

    /** One node has lost the lease, and another is silent for longer than the others keep it. */
    @Test
    void aRenewalThatEndsAfterTheLeaseRestoresNothing() {
        ManualTicker ticker = new ManualTicker();
        try (LockRuntime runtime = ManualScheduler.runtime(ticker);
                RedlockConnections connections = RedlockTestClient.connections(nodes, RedlockTestClient.PATIENT);
                RedlockProvider provider = new RedlockProvider(runtime, connections, RedlockTestClient.PATIENT)) {
            Lease lease = acquire(provider, runtime, "orders");
            Lease second = acquire(provider, runtime, "second");
            Lease third = acquire(provider, runtime, "third");
            RedisServer forgetful = nodes.get(2);
            await().atMost(RedlockTestClient.PATIENCE)
                    .until(() -> forgetful.probe().get(LOCK).isPresent());
            forgetful.probe().command("DEL", LOCK);
            nodes.get(1).freeze();
            provider.renew(List.of(lease), (each, renewal) -> {});
            // Once a release is answered, so is what was asked before it.
            TestClient.get(provider.release(second, Duration.ZERO));
            ticker.advance(RedlockTestClient.PATIENT.callTimeout());
            TestClient.get(provider.release(third, Duration.ZERO));
            assertThat(forgetful.probe().get(LOCK)).isEmpty();
            nodes.get(1).thaw();
        }
    }

    /** One node has refused it, and the others have lost it. */
    @Test
    void aLostLeaseIsNotRestoredOnANodeThatIsFreeLater() {
        ManualTicker ticker = new ManualTicker();
        try (LockRuntime runtime = ManualScheduler.runtime(ticker);
                RedlockConnections connections = RedlockTestClient.connections(nodes, RedlockTestClient.PATIENT);
                RedlockProvider provider = new RedlockProvider(runtime, connections, RedlockTestClient.PATIENT)) {
            TestClient.get(provider.release(acquire(provider, runtime, "warm"), Duration.ZERO));
            RedisServer third = nodes.get(2);
            third.probe().command("SET", LOCK, "another.0:5");
            Lease lease = acquire(provider, runtime, "orders");
            nodes.get(0).probe().command("DEL", LOCK);
            nodes.get(1).probe().command("DEL", LOCK);
            CompletableFuture<Renewal> renewal = new CompletableFuture<>();
            provider.renew(List.of(lease), (each, answer) -> renewal.complete(answer));
            assertThat(TestClient.get(renewal)).isEqualTo(Renewal.NOT_OWNER);
            third.probe().command("DEL", LOCK);
            for (int round = 0; round < 5; round++) {
                ticker.advance(Duration.ofMillis(100));
                // Once a release is answered, so is what was asked before it.
                TestClient.get(provider.release(acquire(provider, runtime, "second"), Duration.ZERO));
                assertThat(third.probe().get(LOCK)).isEmpty();
            }
        }
    }

    private static Lease acquire(RedlockProvider provider, LockRuntime runtime, String name) {
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(3));
        Deadline deadline = Deadline.in(options.waitTime(), runtime.ticker());
        LeaseRequest request = new LeaseRequest(LockKey.of(name), LockMode.EXCLUSIVE, "owner", options, deadline);
        return TestClient.get(provider.acquire(request)).orElseThrow().lease();
    }

    /** A majority makes a client ready; the node that a test is about may be admitted later. */
    private static void awaitVoting(RedlockTestClient client, RedisServer node) {
        HeldLock held = client.locks.acquire(client.locks
                .request("voting")
                .withLeaseTime(Duration.ofMinutes(1))
                .withWaitTime(RedlockTestClient.PATIENCE));
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> node.probe().get("lock:{voting}").isPresent());
        held.release();
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> node.probe().get("lock:{voting}").isEmpty());
    }

    private static void awaitRestorations(CommandRecorder recorder, int count) {
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> recorder.commands().stream()
                                .filter(command -> command.words().containsAll(List.of(LOCK, "exclusive")))
                                .count()
                        == count);
    }
}
