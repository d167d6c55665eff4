package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.etcd.watch.SharedWatches;
import io.distlock.etcd.watch.WatchedKey;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdExtension;
import io.etcd.jetcd.ByteSequence;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is left at the server, and in this process, of a client that was closed. */
class EtcdCloseTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("orders", "42");

    private static final List<String> NOT_OURS =
            List.of("awaitility", "ForkJoinPool.commonPool", "HttpClient", "process reaper", "Common-Cleaner");

    private static TestClient client() {
        return TestClient.of(etcd.server().endpoint());
    }

    @Test
    void neitherKeyNorLeaseNorWatchIsLeft() {
        try (TestClient holder = client()) {
            HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
            TestClient waiting = client();
            CompletableFuture<HeldLock> waiter = waiter(waiting, holder);
            waiting.locks.acquire(waiting.locks.request("other")).close();
            waiting.close();
            assertThat(waiter).isCompletedExceptionally();
            await().atMost(TestClient.PATIENCE)
                    .untilAsserted(
                            () -> assertThat(etcd.probe().keys("lock/orders")).hasSize(1));
            held.release();
        }
        assertNothingIsLeft();
    }

    @Test
    void norIsAWatchOfALockThatIsStillHeld() {
        TestClient client = client();
        client.locks.acquire(client.locks.request(KEY));
        await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().watches().watchers() == 1);
        client.close();
        await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().watches().watchers() == 0);
    }

    @Test
    void norOneThatBeginsAfterTheClose() {
        try (LockRuntime runtime = LockRuntime.start();
                EtcdConnection connection = LocalEtcd.connection(etcd.server().endpoint())) {
            SharedWatches watches = connection.watches(runtime, TestClient.PATIENCE);
            watches.close();
            WatchedKey late = watches.watch(ByteSequence.from("late", StandardCharsets.UTF_8), 0, () -> {});
            assertThat(late).isCompletedExceptionally();
            assertThat(late.isLive()).isFalse();
        }
    }

    private static CompletableFuture<HeldLock> waiter(TestClient client, TestClient holder) {
        var waiter = client.locks.acquireAsync(client.locks.request(KEY).withWaitTime(TestClient.PATIENCE));
        await().atMost(TestClient.PATIENCE).until(() -> holder.waiters(KEY) == 1);
        await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().watches().watchers() >= 2);
        return waiter;
    }

    private static void assertNothingIsLeft() {
        await().atMost(TestClient.PATIENCE).untilAsserted(() -> {
            assertThat(etcd.probe().keys("")).isEmpty();
            assertThat(etcd.probe().leases()).isEmpty();
            assertThat(etcd.probe().watches().streams()).isZero();
            assertThat(etcd.probe().watches().watchers()).isZero();
        });
    }

    @Test
    void noThreadIsLeft() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (TestClient holder = client();
                TestClient waiting = client()) {
            holder.locks.acquire(holder.locks.request(KEY));
            waiter(waiting, holder);
            assertThat(newThreads(before)).anyMatch(name -> name.startsWith("distlock"));
        }
        await().atMost(TestClient.PATIENCE)
                .untilAsserted(() -> assertThat(newThreads(before)).isEmpty());
    }

    /** Whatever their names are, but for those of the tests and of the Java platform. */
    private static List<String> newThreads(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> NOT_OURS.stream().noneMatch(name::startsWith))
                .toList();
    }
}
