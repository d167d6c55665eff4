package io.distlock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.redis.LocalRedis;
import io.distlock.redis.TestClient;
import io.distlock.spi.Ticker;
import io.distlock.support.TryLockStore.Subscription;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.ClientType;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

class ReleaseSubscriptionsTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** For a server that does not answer at all. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    private FaultProxy proxy;
    private RedisConnections connections;
    private ReleaseSubscriptions subscriptions;

    @BeforeEach
    void connect() {
        proxy = FaultProxy.to(redis.server().host(), redis.server().port());
        connections = LocalRedis.connections(redis.server().endpoint().withPort(proxy.port()), TestClient.PATIENT);
        subscriptions = subscriptions(TIMEOUT);
        // The driver is warm after this.
        await().atMost(TestClient.PATIENCE).ignoreExceptions().until(() -> {
            TestClient.get(subscriptions.subscribe("warm", () -> {})).close();
            return true;
        });
    }

    private ReleaseSubscriptions subscriptions(Duration timeout) {
        return new ReleaseSubscriptions(new RedisConnection<>(connections::connectPubSub, Ticker.system(), timeout));
    }

    @AfterEach
    void disconnect() {
        connections.close();
        proxy.close();
    }

    @Test
    void areConfirmedByTheServerBeforeTheyCount(RedisProbe probe) {
        AtomicInteger woken = new AtomicInteger();
        TestClient.get(subscriptions.subscribe("c", woken::incrementAndGet));
        assertThat(probe.command("PUBLISH", "c", "x").number()).isOne();
        await().atMost(TestClient.PATIENCE).until(() -> woken.get() == 1);
    }

    @Test
    void ofSeveralWaitersShareOne(RedisProbe probe) {
        AtomicInteger woken = new AtomicInteger();
        Subscription first = TestClient.get(subscriptions.subscribe("c", woken::incrementAndGet));
        Subscription second = TestClient.get(subscriptions.subscribe("c", woken::incrementAndGet));
        probe.command("PUBLISH", "c", "x");
        await().atMost(TestClient.PATIENCE).until(() -> woken.get() == 2);
        first.close();
        first.close();
        assertThat(probe.command("PUBLISH", "c", "x").number()).isOne();
        await().atMost(TestClient.PATIENCE).until(() -> woken.get() == 3);
        second.close();
    }

    @Test
    void outliveTheLastWaiterUntilReleasesAreForNobody(RedisProbe probe) {
        TestClient.get(subscriptions.subscribe("c", () -> {})).close();
        assertThat(probe.command("PUBLISH", "c", "x").number()).isOne();
        assertThat(probe.command("PUBLISH", "c", "x").number()).isOne();
        AtomicInteger woken = new AtomicInteger();
        await().atMost(TestClient.PATIENCE).until(() -> subscriptions.unheard("c") == 2);
        Subscription joined =
                subscriptions.join(() -> "c", woken::incrementAndGet).orElseThrow();
        probe.command("PUBLISH", "c", "x");
        await().atMost(TestClient.PATIENCE).until(() -> woken.get() == 1);
        joined.close();
        for (int message = 0; message < 3; message++) {
            assertThat(probe.command("PUBLISH", "c", "x").number()).isOne();
        }
        await().atMost(TestClient.PATIENCE).until(() -> !probe.pubsubChannels().contains("c"));
        assertThat(subscriptions.join(() -> "c", () -> {})).isEmpty();
        assertThat(woken).hasValue(1);
    }

    /** Such as by the only process that still uses the lock. */
    @Test
    void endIfTheLockIsTakenAgainAndAgainWithoutAWait(RedisProbe probe) {
        TestClient.get(subscriptions.subscribe("c", () -> {})).close();
        for (int cycle = 1; cycle <= 3; cycle++) {
            subscriptions.join(() -> "c", () -> {}).orElseThrow().close();
            int heard = cycle % 3;
            probe.command("PUBLISH", "c", "x");
            await().atMost(TestClient.PATIENCE).until(() -> subscriptions.unheard("c") == heard);
        }
        await().atMost(TestClient.PATIENCE).until(() -> !probe.pubsubChannels().contains("c"));
    }

    @Test
    void ofTheSixteenThatWereWaitedForLastOutliveTheirWaiters(RedisProbe probe) {
        for (int channel = 0; channel < 17; channel++) {
            TestClient.get(subscriptions.subscribe("c" + channel, () -> {})).close();
            subscriptions.join(() -> "c0", () -> {}).orElseThrow().close();
        }
        // That of the test's start and the oldest have gone; the one that was asked for again and again is not the
        // oldest.
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() -> assertThat(probe.pubsubChannels())
                        .hasSize(16)
                        .contains("c0", "c2", "c16")
                        .doesNotContain("c1", "warm"));
        assertThat(subscriptions.size()).isEqualTo(16);
    }

    @Test
    void canBeJoinedOnceTheyAreConfirmed() {
        assertThat(subscriptions.join(() -> "c", () -> {})).isEmpty();
        proxy.freeze();
        CompletableFuture<Subscription> unconfirmed =
                subscriptions.subscribe("c", () -> {}).toCompletableFuture();
        assertThat(subscriptions.join(() -> "c", () -> {})).isEmpty();
        proxy.thaw();
        TestClient.get(unconfirmed);
        assertThat(subscriptions.join(() -> "c", () -> {})).isPresent();
    }

    @Test
    void areTakenUpAgainAfterTheConnectionWasCutAndEveryoneIsWoken(RedisProbe probe) {
        AtomicInteger woken = new AtomicInteger();
        TestClient.get(subscriptions.subscribe("c", woken::incrementAndGet));
        TestClient.get(subscriptions.subscribe("d", woken::incrementAndGet));
        assertThat(woken).hasValue(0);
        assertThat(probe.killClients(ClientType.PUBSUB)).isOne();
        await().atMost(TestClient.PATIENCE).until(() -> woken.get() == 2);
        assertThat(probe.pubsubChannels()).contains("c", "d");
    }

    @Test
    void thatEndWhileDisconnectedAreNotTakenUpAgainForGood(RedisProbe probe) {
        Subscription ended = TestClient.get(subscriptions.subscribe("c", () -> {}));
        AtomicInteger woken = new AtomicInteger();
        TestClient.get(subscriptions.subscribe("d", woken::incrementAndGet));
        proxy.refuse();
        proxy.cut();
        await().atMost(TestClient.PATIENCE).until(() -> probe.pubsubChannels().isEmpty());
        ended.close();
        proxy.accept();
        await().atMost(TestClient.PATIENCE).until(() -> woken.get() > 0);
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() -> assertThat(probe.pubsubChannels()).containsExactly("d"));
    }

    @Test
    void failWhileDisconnectedAndWorkAgainLater() {
        proxy.refuse();
        proxy.cut();
        CompletableFuture<Subscription> failing =
                subscriptions.subscribe("c", () -> {}).toCompletableFuture();
        await().atMost(TestClient.PATIENCE).until(failing::isCompletedExceptionally);
        proxy.accept();
        await().atMost(TestClient.PATIENCE)
                .ignoreExceptions()
                .until(() -> TestClient.get(subscriptions.subscribe("c", () -> {})) != null);
    }

    /** What the driver's own thread sends is on the wire at once; what others have sent before is still in its queue. */
    @Test
    void areTakenUpAgainIfTheyOvertookTheEndOfTheOneBefore(RedisProbe probe) {
        Subscription before = TestClient.get(subscriptions.subscribe("c", () -> {}));
        List<Subscription> others = new ArrayList<>();
        for (int channel = 0; channel < 16; channel++) {
            others.add(TestClient.get(subscriptions.subscribe("c" + channel, () -> {})));
        }
        CompletableFuture<Void> onDriversThread = new CompletableFuture<>();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        AtomicInteger woken = new AtomicInteger();
        TestClient.get(subscriptions.subscribe("d", () -> {
            onDriversThread.complete(null);
            ended.join();
            subscriptions.subscribe("c", woken::incrementAndGet);
        }));
        probe.command("PUBLISH", "d", "x");
        TestClient.get(onDriversThread);
        before.close();
        // So many are kept, and the oldest is not.
        others.forEach(Subscription::close);
        ended.complete(null);
        // A message may have been missed.
        await().atMost(TestClient.PATIENCE).until(() -> woken.get() == 1);
        assertThat(probe.command("PUBLISH", "c", "x").number()).isOne();
        await().atMost(TestClient.PATIENCE).until(() -> woken.get() == 2);
    }

    /** Whoever has been told that the subscription stands must get the next message, whoever leaves meanwhile. */
    @Test
    void comingAndGoingAtTheSameTimeLosesNoMessage(RedisProbe probe) {
        List<CompletableFuture<Integer>> workers = new ArrayList<>();
        for (int worker = 0; worker < 4; worker++) {
            workers.add(CompletableFuture.supplyAsync(
                    () -> {
                        int missed = 0;
                        for (int round = 0; round < 200; round++) {
                            CompletableFuture<Void> woken = new CompletableFuture<>();
                            Subscription mine =
                                    TestClient.get(subscriptions.subscribe("c", () -> woken.complete(null)));
                            publish(probe);
                            missed += woken.orTimeout(20, TimeUnit.SECONDS)
                                    .handle((ok, late) -> late == null ? 0 : 1)
                                    .join();
                            mine.close();
                        }
                        return missed;
                    },
                    task -> new Thread(task, "listener").start()));
        }
        assertThat(workers)
                .allSatisfy(
                        worker -> assertThat(worker.get(5, TimeUnit.MINUTES)).isZero());
    }

    private static void publish(RedisProbe probe) {
        synchronized (probe) {
            probe.command("PUBLISH", "c", "x");
        }
    }

    @Test
    void thatAreProbedOnAConnectionThatFellSilentAreTakenUpAgainOnAnother(RedisProbe probe) {
        try (RedisConnections hasty = LocalRedis.connections(
                redis.server().endpoint().withPort(proxy.port()), TestClient.PATIENT.withCallTimeout(SHORT))) {
            ReleaseSubscriptions ours =
                    new ReleaseSubscriptions(new RedisConnection<>(hasty::connectPubSub, Ticker.system(), TIMEOUT));
            AtomicInteger woken = new AtomicInteger();
            Subscription waiting = TestClient.get(ours.subscribe("c", woken::incrementAndGet));
            Set<Integer> silent = probe.pubsubPorts();
            proxy.silence(silent::contains);
            waiting.probe();
            await().atMost(TestClient.PATIENCE).until(() -> woken.get() == 1);
            assertThat(probe.pubsubPorts()).hasSize(silent.size() + 1);
        }
    }

    @Test
    void areProbedWithTheOlderProtocolToo(RedisProbe probe) {
        var older = LettuceClientConfiguration.builder()
                .clientOptions(ClientOptions.builder()
                        .protocolVersion(ProtocolVersion.RESP2)
                        .build())
                .build();
        try (RedisConnections connections = RedisConnections.like(
                LocalRedis.factory(redis.server().endpoint(), 0, older), SHORT, TestClient.PATIENT.connectTimeout())) {
            ReleaseSubscriptions ours = new ReleaseSubscriptions(
                    new RedisConnection<>(connections::connectPubSub, Ticker.system(), TIMEOUT));
            AtomicInteger woken = new AtomicInteger();
            Subscription waiting = TestClient.get(ours.subscribe("c", woken::incrementAndGet));
            try (CommandRecorder recorder = probe.record()) {
                waiting.probe();
                await().atMost(TestClient.PATIENCE).until(() -> recorder.names().contains("PING"));
                probe.command("PUBLISH", "c", "x");
                await().atMost(TestClient.PATIENCE).until(() -> woken.get() == 1);
                waiting.probe();
                await().atMost(TestClient.PATIENCE).until(() -> Collections.frequency(recorder.names(), "PING") == 2);
            }
            probe.command("PUBLISH", "c", "x");
            await().atMost(TestClient.PATIENCE).until(() -> woken.get() == 2);
        }
    }
}
