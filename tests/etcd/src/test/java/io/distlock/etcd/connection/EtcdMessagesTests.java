package io.distlock.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.etcd.ManualTimeProvider;
import io.distlock.etcd.TestClient;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdRpcs;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How many messages a lock costs, those within streams included. Time stands still: nothing comes from a timer. */
class EtcdMessagesTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("messages");
    private static final LockOptions OPTIONS = LockOptions.defaults().withWaitTime(Duration.ofHours(1));

    private ManualTimeProvider holder;
    private ManualTimeProvider next;

    @BeforeEach
    void open() {
        holder = new ManualTimeProvider(etcd.server().endpoint());
        next = new ManualTimeProvider(etcd.server().endpoint());
        // Both have their sessions.
        release(holder, acquire(holder));
        release(next, acquire(next));
    }

    @AfterEach
    void close() {
        next.close();
        holder.close();
    }

    private static Lease acquire(ManualTimeProvider provider) {
        return lease(provider.acquire(KEY, OPTIONS));
    }

    private static Lease lease(CompletableFuture<Optional<Grant>> acquisition) {
        return TestClient.get(acquisition).orElseThrow().lease();
    }

    private static void release(ManualTimeProvider provider, Lease lease) {
        TestClient.get(provider.provider.release(lease, Duration.ZERO));
    }

    private static void assertMessages(EtcdRpcs before, int count) {
        // The last ones are not answered.
        await().atMost(TestClient.PATIENCE)
                .until(() -> etcd.probe().rpcs().since(before).total() >= count);
        assertThat(etcd.probe().rpcs().since(before).total()).isEqualTo(count);
    }

    @Test
    void aLockThatNobodyElseWantsTakesTwo() {
        EtcdRpcs before = etcd.probe().rpcs();
        release(holder, acquire(holder));
        assertMessages(before, 2);
    }

    /** A place that is left again would for a moment be ahead of others, who would be refused although nobody has the lock. */
    @Test
    void aRefusalWithoutWaitingTakesOneAndNoPlace() {
        Lease held = acquire(holder);
        EtcdRpcs before = etcd.probe().rpcs();
        long revision = etcd.probe().revision();
        assertThat(TestClient.get(next.acquire(KEY, OPTIONS.withWaitTime(Duration.ZERO))))
                .isEmpty();
        assertMessages(before, 1);
        assertThat(etcd.probe().revision()).isEqualTo(revision);
        assertThat(next.refusals()).isEqualTo(1);
        release(holder, held);
        assertThat(TestClient.get(next.acquire(KEY, OPTIONS.withWaitTime(Duration.ZERO))))
                .isPresent();
    }

    @Test
    void ofReadersAndWritersThatDoNotWaitEachIsRefusedByTheOther() {
        LockOptions atOnce = OPTIONS.withWaitTime(Duration.ZERO);
        Lease reading = lease(holder.acquire(KEY, LockMode.SHARED, atOnce));
        Lease readingToo = lease(next.acquire(KEY, LockMode.SHARED, atOnce));
        assertThat(TestClient.get(next.acquire(KEY, atOnce))).isEmpty();
        release(holder, reading);
        release(next, readingToo);
        Lease writing = lease(next.acquire(KEY, atOnce));
        assertThat(TestClient.get(holder.acquire(KEY, LockMode.SHARED, atOnce))).isEmpty();
        release(next, writing);
    }

    /** Taking a place, watching the one ahead, its release, a look, and the end of the watch. */
    @Test
    void aHandOverTakesFive() {
        Lease held = acquire(holder);
        EtcdRpcs before = etcd.probe().rpcs();
        CompletableFuture<Optional<Grant>> waiter = next.parked(KEY, OPTIONS);
        release(holder, held);
        Lease taken = lease(waiter);
        assertMessages(before, 5);
        release(next, taken);
        assertMessages(before, 6);
    }
}
