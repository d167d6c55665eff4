package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdRpcs;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A watch that misses what it was to tell of. */
class EtcdTrustTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("trust");

    /** The longest that one who waits relies on its watch alone. */
    private static final Duration TRUST = Duration.ofSeconds(5);

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);

    /** Stands at once, and never says anything. */
    private static final Watches SWALLOWING = new Watches() {

        @Override
        public Watched watch(ByteSequence key, Runnable wake) {
            return new Watched() {

                @Override
                public CompletableFuture<Void> standing() {
                    return CompletableFuture.completedFuture(null);
                }

                @Override
                public boolean isLive() {
                    return true;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void close() {}
    };

    /** Knows for how long anything was put off. */
    private static final class NotedScheduler implements LockScheduler {

        private final List<Duration> delays = new CopyOnWriteArrayList<>();
        private final LockScheduler actual;

        NotedScheduler(LockScheduler actual) {
            this.actual = actual;
        }

        @Override
        public Scheduled schedule(Runnable task, Duration delay) {
            Scheduled scheduled = actual.schedule(task, delay);
            delays.add(delay);
            return scheduled;
        }

        @Override
        public void close() {
            actual.close();
        }
    }

    @Test
    void oneWhoWaitsLooksForItselfAfterSeconds() {
        ManualTicker ticker = new ManualTicker();
        NotedScheduler scheduler = new NotedScheduler(new ManualScheduler(ticker));
        try (TestClient holder = TestClient.of(etcd.server().endpoint());
                LockRuntime runtime = new LockRuntime(ticker, scheduler);
                EtcdConnection connection = LocalEtcd.connection(etcd.server().endpoint())) {
            LocalEtcd.warmUp(connection);
            HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
            CompletableFuture<Optional<Grant>> waiter =
                    queue(runtime, connection).acquire(request(ticker));
            await().atMost(TestClient.PATIENCE).until(() -> scheduler.delays.contains(TRUST));
            held.release();
            EtcdRpcs before = etcd.probe().rpcs();
            ticker.advance(TRUST.minusMillis(1));
            assertThat(etcd.probe().rpcs().since(before).total()).isZero();
            assertThat(waiter).isNotDone();
            ticker.advance(Duration.ofMillis(1));
            assertThat(TestClient.get(waiter)).isPresent();
        }
    }

    private static EtcdQueue queue(LockRuntime runtime, EtcdConnection connection) {
        EtcdCalls calls = new EtcdCalls(connection.client(), runtime.timeouts(), CALL_TIMEOUT, 1);
        EtcdKeys keys = new EtcdKeys("lock");
        QueueCalls queueCalls = new QueueCalls(calls, keys, new HolderNote());
        Sessions sessions = new Sessions(calls, runtime, true);
        Holdings holdings = new Holdings(queueCalls, sessions, SWALLOWING, runtime);
        return new EtcdQueue(runtime, keys, queueCalls, sessions, holdings, SWALLOWING, CALL_TIMEOUT);
    }

    private static LeaseRequest request(ManualTicker ticker) {
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(2));
        return new LeaseRequest(
                KEY, LockMode.EXCLUSIVE, "owner-1", options, Deadline.in(Duration.ofMinutes(1), ticker));
    }
}
