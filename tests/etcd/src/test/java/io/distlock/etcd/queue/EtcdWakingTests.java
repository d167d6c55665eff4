package io.distlock.etcd.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdLockProvider;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.NotedScheduler;
import io.distlock.etcd.TestClient;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdEntry;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Those who wait are woken by what happens: their time stands still, so none of them ever looks for itself. */
class EtcdWakingTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("waking");
    private static final Duration LONG = Duration.ofMinutes(2);

    private static final Duration LEASE = Duration.ofSeconds(12);

    /** How long one who waits relies on its watch alone. Nothing else is put off for as long. */
    private static final Duration TRUST = LEASE.dividedBy(3);

    /** One that waits for less does not watch its own place. */
    private static final Duration UNWATCHED = Duration.ofMillis(250);

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);

    private final ManualTicker ticker = new ManualTicker();
    private final NotedScheduler scheduler = new NotedScheduler(new ManualScheduler(ticker));
    private final LockRuntime runtime = new LockRuntime(ticker, scheduler);
    private TestClient holder;
    private HeldLock held;

    @BeforeEach
    void hold() {
        holder = TestClient.of(etcd.server().endpoint());
        held = holder.locks.acquire(holder.locks.request(KEY));
    }

    @AfterEach
    void close() {
        held.close();
        holder.close();
        runtime.close();
    }

    private static EtcdConnection connection() {
        EtcdConnection connection = LocalEtcd.connection(etcd.server().endpoint());
        LocalEtcd.warmUp(connection);
        return connection;
    }

    private EtcdLockProvider provider(EtcdConnection connection) {
        return new EtcdLockProvider(runtime, connection, LocalEtcd.PATIENT.withCallTimeout(CALL_TIMEOUT));
    }

    private CompletableFuture<Optional<Grant>> waiter(EtcdLockProvider provider, String owner) {
        LockOptions options = LockOptions.defaults().withLeaseTime(LEASE);
        return provider.acquire(new LeaseRequest(KEY, LockMode.EXCLUSIVE, owner, options, Deadline.in(LONG, ticker)));
    }

    private void awaitParked(Duration time, int times) {
        await().atMost(TestClient.PATIENCE).until(() -> Collections.frequency(scheduler.delays(), time) == times);
    }

    private static EtcdEntry placeOf(String owner) {
        return etcd.probe().entries("lock/").stream()
                .filter(entry -> entry.key().endsWith(owner))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void byARelease() {
        try (EtcdConnection connection = connection();
                EtcdLockProvider provider = provider(connection)) {
            CompletableFuture<Optional<Grant>> waiter = waiter(provider, "owner-1");
            awaitParked(UNWATCHED, 1);
            held.release();
            assertThat(TestClient.get(waiter)).isPresent();
        }
    }

    @Test
    void byTheLossOfTheirOwnPlace() {
        try (EtcdConnection connection = connection();
                EtcdLockProvider provider = provider(connection)) {
            CompletableFuture<Optional<Grant>> waiter = waiter(provider, "owner-1");
            awaitParked(UNWATCHED, 1);
            ticker.advance(UNWATCHED);
            awaitParked(TRUST, 1);
            EtcdEntry place = placeOf("owner-1");
            etcd.probe().delete(place.key());
            awaitParked(TRUST, 2);
            assertThat(placeOf("owner-1").createRevision()).isGreaterThan(place.createRevision());
            held.release();
            assertThat(TestClient.get(waiter)).isPresent();
        }
    }

    @Test
    void byOneAheadOfThemThatGivesUp() {
        try (EtcdConnection connection = connection();
                EtcdLockProvider provider = provider(connection)) {
            CompletableFuture<Optional<Grant>> middle = waiter(provider, "owner-1");
            awaitParked(UNWATCHED, 1);
            CompletableFuture<Optional<Grant>> last = waiter(provider, "owner-2");
            awaitParked(UNWATCHED, 2);
            middle.cancel(false);
            awaitParked(UNWATCHED, 3);
            assertThat(last).isNotDone();
            held.release();
            assertThat(TestClient.get(last)).isPresent();
        }
    }
}
