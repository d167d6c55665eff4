package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.Sequencer;
import io.distlock.redis.TestClient;
import io.distlock.spi.Deadline;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.test.fault.FaultProxy;
import io.distlock.test.redis.RedisEndpoint;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** For how long a lock is believed, by its holder and by others: never from the answer on, never by a minority's word. */
class RedlockValidityTests {

    private static final LockKey KEY = LockKey.of("orders");
    private static final String LOCK = "lock:{orders}";
    private static final Duration LATE = Duration.ofMillis(700);
    private static final Duration LEASE = Duration.ofSeconds(60);

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    private final List<FaultProxy> proxies = new ArrayList<>();
    private RedlockTestClient client;

    @BeforeEach
    void connect() {
        List<RedisEndpoint> endpoints = new ArrayList<>();
        for (RedisServer node : nodes.all()) {
            FaultProxy proxy = FaultProxy.to(node.host(), node.port());
            proxies.add(proxy);
            endpoints.add(node.endpoint().withPort(proxy.port()));
        }
        client = RedlockTestClient.of(endpoints, RedlockTestClient.PATIENT);
    }

    @AfterEach
    void disconnect() {
        delay(Duration.ZERO);
        client.close();
        proxies.forEach(FaultProxy::close);
    }

    @Test
    void aLeaseIsCountedFromTheRequestThatTookIt() {
        evenCounters();
        delay(LATE);
        try (HeldLock held = client.locks.acquire(request())) {
            assertThat(held.remaining()).isLessThan(LEASE.minus(LATE));
            delay(Duration.ZERO);
        }
    }

    @Test
    void aLeaseIsCountedFromTheFirstOfTwoPhases() {
        evenCounters();
        nodes.get(0).probe().command("INCRBY", "lock:fence", "5");
        nodes.get(1).probe().command("INCRBY", "lock:fence", "9");
        delay(LATE);
        try (HeldLock held = client.locks.acquire(request())) {
            assertThat(held.remaining()).isLessThan(LEASE.minus(LATE.multipliedBy(2)));
            delay(Duration.ZERO);
        }
    }

    @Test
    void aRenewalIsCountedFromItsRequest() {
        Duration lease = Duration.ofSeconds(15);
        try (HeldLock held = client.locks.acquire(request().withLeaseTime(lease))) {
            delay(LATE);
            AtomicReference<Duration> left = new AtomicReference<>(held.remaining());
            // It decreases until the answer comes.
            await().atMost(RedlockTestClient.PATIENCE).until(() -> {
                Duration before = left.getAndSet(held.remaining());
                return left.get().compareTo(before) > 0;
            });
            assertThat(left.get()).isLessThan(lease.minus(LATE));
            delay(Duration.ZERO);
        }
    }

    @Test
    void aRenewalKeepsTheLockDelay() {
        Lease lease = acquire(LockOptions.defaults().withLeaseTime(LEASE).withLockDelay(Duration.ofSeconds(30)));
        nodes.all().forEach(node -> node.probe().command("PEXPIRE", LOCK, "40000"));
        assertThat(renew(lease)).isEqualTo(Renewal.RENEWED);
        await().atMost(RedlockTestClient.PATIENCE)
                .untilAsserted(() -> assertThat(nodes.all())
                        .allSatisfy(
                                node -> assertThat(node.probe().ttlMillis(LOCK).orElseThrow())
                                        .isGreaterThan(80_000)));
    }

    @Test
    void aSequencerThatAMinorityKnowsIsNotCurrent() {
        Lease lease = acquire(LockOptions.defaults().withLeaseTime(LEASE));
        Sequencer sequencer = new Sequencer(KEY, LockMode.EXCLUSIVE, lease.token());
        await().atMost(RedlockTestClient.PATIENCE)
                .until(() -> nodes.all().stream()
                        .allMatch(node -> node.probe()
                                .get(LOCK)
                                .filter(value -> value.endsWith(":" + lease.token()))
                                .isPresent()));
        nodes.get(0).probe().command("DEL", LOCK);
        assertThat(isCurrent(sequencer)).isTrue();
        nodes.get(1).probe().command("DEL", LOCK);
        assertThat(isCurrent(sequencer)).isFalse();
    }

    private boolean isCurrent(Sequencer sequencer) {
        return TestClient.get(client.provider.isCurrent(sequencer));
    }

    private LockRequest request() {
        return client.locks.request(KEY).withLeaseTime(LEASE).withWaitTime(RedlockTestClient.PATIENCE);
    }

    private Lease acquire(LockOptions options) {
        Deadline deadline = Deadline.in(RedlockTestClient.PATIENCE, client.runtime.ticker());
        return TestClient.get(
                        client.provider.acquire(new LeaseRequest(KEY, LockMode.EXCLUSIVE, "owner", options, deadline)))
                .orElseThrow()
                .lease();
    }

    private Renewal renew(Lease lease) {
        CompletableFuture<Renewal> renewal = new CompletableFuture<>();
        client.provider.renew(List.of(lease), (each, answer) -> renewal.complete(answer));
        return TestClient.get(renewal);
    }

    private void delay(Duration time) {
        proxies.forEach(proxy -> proxy.delayReplies(time));
    }

    /** So that the first phase is enough; with the scripts there. */
    private void evenCounters() {
        client.locks.acquire(request()).release();
        nodes.all().stream()
                .map(RedisServer::probe)
                .forEach((RedisProbe probe) -> probe.command("SET", "lock:fence", "8000000000000000"));
    }
}
