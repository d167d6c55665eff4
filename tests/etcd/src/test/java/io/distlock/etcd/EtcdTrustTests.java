package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.etcd.watch.ScriptedWatchServer;
import io.distlock.etcd.watch.SharedWatches;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdRpcs;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A watch that misses what it was to tell of. */
class EtcdTrustTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("trust");

    /** The longest that one who waits relies on its watch alone. */
    private static final Duration TRUST = Duration.ofSeconds(5);

    /** One that waits for less does not watch its own place. */
    private static final Duration UNWATCHED = Duration.ofMillis(250);

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);

    @Test
    void oneWhoWaitsLooksForItselfAfterSeconds() {
        ManualTicker ticker = new ManualTicker();
        NotedScheduler scheduler = new NotedScheduler(new ManualScheduler(ticker));
        ScriptedWatchServer server = new ScriptedWatchServer();
        try (LockRuntime runtime = new LockRuntime(ticker, scheduler);
                EtcdConnection connection = LocalEtcd.connection(etcd.server().endpoint());
                SharedWatches silent =
                        new SharedWatches(server::stub, ByteSequence.EMPTY, runtime, CALL_TIMEOUT.multipliedBy(10))) {
            String held = hold();
            CompletableFuture<Optional<Grant>> waiter =
                    provider(runtime, ticker, connection, silent).acquire(request(ticker));
            awaitConfirmed(server, () -> scheduler.delays().contains(UNWATCHED));
            // The limit of the first watch was as long as the trust. All later limits fall behind it, on its timer.
            scheduler.delays().clear();
            ticker.advance(UNWATCHED);
            awaitConfirmed(server, () -> scheduler.delays().contains(TRUST));
            etcd.probe().delete(held);
            EtcdRpcs before = etcd.probe().rpcs();
            ticker.advance(TRUST.minusMillis(1));
            assertThat(etcd.probe().rpcs().since(before).total()).isZero();
            assertThat(waiter).isNotDone();
            ticker.advance(Duration.ofMillis(1));
            assertThat(TestClient.get(waiter)).isPresent();
        }
    }

    /** What went before it stood cannot be told by it. */
    @Test
    void oneWhoseWatchStandsLateLooksOnceMoreThen() {
        ManualTicker ticker = new ManualTicker();
        NotedScheduler scheduler = new NotedScheduler(new ManualScheduler(ticker));
        ScriptedWatchServer server = new ScriptedWatchServer();
        try (LockRuntime runtime = new LockRuntime(ticker, scheduler);
                EtcdConnection connection = LocalEtcd.connection(etcd.server().endpoint());
                SharedWatches late =
                        new SharedWatches(server::stub, ByteSequence.EMPTY, runtime, CALL_TIMEOUT.multipliedBy(10))) {
            String held = hold();
            CompletableFuture<Optional<Grant>> waiter =
                    provider(runtime, ticker, connection, late).acquire(request(ticker));
            // As long as it waits for a watch to stand.
            await().atMost(TestClient.PATIENCE).until(() -> scheduler.delays().contains(TRUST));
            EtcdRpcs before = etcd.probe().rpcs();
            // It gives up waiting for them to stand, pauses, and looks.
            ticker.advance(CALL_TIMEOUT.plusMillis(100));
            await().atMost(TestClient.PATIENCE)
                    .until(() -> etcd.probe().rpcs().since(before).started("Txn") > 0);
            etcd.probe().delete(held);
            awaitConfirmed(server, waiter::isDone);
            assertThat(TestClient.get(waiter)).isPresent();
        }
    }

    /** Takes the lock for somebody who sends nothing by itself, and whose session stays. Returns the key of its place. */
    private static String hold() {
        EtcdKeys keys = new EtcdKeys("lock");
        long lease = etcd.probe().grant(Duration.ofMinutes(10));
        etcd.probe().put(keys.session(lease).toString(), "session", lease);
        String place = keys.place(KEY, LockMode.EXCLUSIVE, lease, 0, "holder").toString();
        etcd.probe().put(place, "exclusive", lease);
        return place;
    }

    private static void awaitConfirmed(ScriptedWatchServer server, BooleanSupplier then) {
        await().atMost(TestClient.PATIENCE).until(() -> {
            if (!server.streams().isEmpty()) {
                server.confirmAll();
            }
            return then.getAsBoolean();
        });
    }

    private static EtcdLockProvider provider(
            LockRuntime runtime, ManualTicker ticker, EtcdConnection connection, SharedWatches watches) {
        EtcdLockOptions options = EtcdLockOptions.defaults().withCallTimeout(CALL_TIMEOUT);
        EtcdConnection watching = new EtcdConnection(
                connection.client,
                connection.capture,
                ByteSequence.EMPTY,
                List.of(etcd.server().uri()),
                CALL_TIMEOUT,
                (shared, callTimeout) -> watches,
                () -> {});
        EtcdLockProvider provider = new EtcdLockProvider(runtime, watching, options);
        LocalEtcd.awaitConnected(provider, ticker);
        return provider;
    }

    private static LeaseRequest request(ManualTicker ticker) {
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(2));
        return new LeaseRequest(
                KEY, LockMode.EXCLUSIVE, "owner-1", options, Deadline.in(Duration.ofMinutes(1), ticker));
    }
}
