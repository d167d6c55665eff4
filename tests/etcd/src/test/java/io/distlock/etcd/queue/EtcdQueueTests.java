package io.distlock.etcd.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.TestClient;
import io.distlock.spi.Ticker;
import io.distlock.test.etcd.EtcdEntry;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdRpcs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many clients in one queue. */
class EtcdQueueTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("queue");

    /** etcd looks for leases that are over twice a second; then the next one is told. */
    private static final Duration LEASES_END = Duration.ofMillis(1500);

    /** What a machine that is busy with other things may take on top of a time limit. */
    private static final Duration SLOW_MACHINE = Duration.ofSeconds(30);

    private static final String EVENTS = "etcd_debugging_mvcc_events_total";

    private final List<TestClient> clients = new ArrayList<>();
    private TestClient holder;

    @BeforeEach
    void open() {
        holder = client();
    }

    @AfterEach
    void close() {
        clients.forEach(TestClient::close);
    }

    private TestClient client() {
        return client(Duration.ofMinutes(2));
    }

    private TestClient client(Duration leaseTime) {
        TestClient client = TestClient.of(etcd.server().endpoint(), LocalEtcd.PATIENT, leaseTime);
        clients.add(client);
        return client;
    }

    private CompletableFuture<HeldLock> queue(TestClient client) {
        return queue(client, LockMode.EXCLUSIVE);
    }

    /** Those before it may be many. */
    private CompletableFuture<HeldLock> queue(TestClient client, LockMode mode) {
        return queue(client, mode, Duration.ofMinutes(2));
    }

    /** Waits for the lock, and stands in the queue for it already. */
    private CompletableFuture<HeldLock> queue(TestClient client, LockMode mode, Duration waitTime) {
        List<String> before = etcd.probe().keys("lock/queue/");
        var waiter = client.locks.acquireAsync(
                client.locks.request(KEY).withMode(mode).withWaitTime(waitTime));
        awaitAnother(before);
        return waiter;
    }

    /** Others may leave the queue meanwhile. */
    private static void awaitAnother(List<String> before) {
        await().atMost(TestClient.PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !before.containsAll(etcd.probe().keys("lock/queue/")));
    }

    private void awaitAllWatch(int waiting) {
        // Each watches the one ahead and itself; who holds watches itself. Some have yet to look once more, as the
        // watch stands.
        await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().watches().watchers() == 2L * waiting + 1);
    }

    @Test
    void aHundredAreServedInTheOrderOfTheirArrivalAndEachReleaseWakesOne() {
        HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
        List<TestClient> crowd = openAHundred();
        long queueing = Ticker.system().nanos();
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<?>> waiters = new ArrayList<>();
        for (TestClient client : crowd) {
            int own = waiters.size();
            waiters.add(queue(client).thenAccept(lock -> {
                order.add(own);
                lock.release();
            }));
        }
        awaitAllWatch(crowd.size());
        EtcdRpcs before = etcd.probe().rpcs();
        double events = etcd.probe().metric(EVENTS);
        held.release();
        waiters.forEach(TestClient::get);
        assertThat(order).isSorted().hasSize(crowd.size());
        EtcdRpcs cost = etcd.probe().rpcs().since(before);
        // The first release; then a look and a release for each.
        assertThat(cost.started("Txn"))
                .isBetween(1 + 2L * crowd.size(), 1 + 2L * crowd.size() + otherLooks(crowd.size(), queueing));
        // One for the next; and now and then for itself, from watches that have just been given up. Not one for each.
        assertThat(etcd.probe().metric(EVENTS) - events).isBetween((double) crowd.size(), 4.0 * crowd.size());
    }

    /** At most: each looks as its two watches stand, and again when it has trusted them for five seconds. */
    private static long otherLooks(int waiters, long sinceNanos) {
        Duration since = Duration.ofNanos(Ticker.system().nanos() - sinceNanos);
        return waiters * (2 + since.toSeconds() / 5);
    }

    /** Each with a connection, a session and a stream of watches of its own. */
    private List<TestClient> openAHundred() {
        return IntStream.range(0, 100).mapToObj(number -> client()).toList();
    }

    @Test
    void aReleaseWakesTheNextAndNobodyElse() {
        HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
        List<TestClient> waiting = List.of(client(), client(), client(), client());
        long queueing = Ticker.system().nanos();
        var waiters = waiting.stream().map(this::queue).toList();
        var next = waiters.get(0);
        var others = waiters.subList(1, 4);
        awaitAllWatch(4);
        EtcdRpcs before = etcd.probe().rpcs();
        double events = etcd.probe().metric(EVENTS);
        held.release();
        HeldLock mine = TestClient.get(next);
        // A release and a look.
        assertThat(etcd.probe().rpcs().since(before).started("Txn"))
                .isBetween(2L, 2 + otherLooks(waiting.size(), queueing));
        // One for the next; and perhaps one for the holder, whose watch has just been given up.
        assertThat(etcd.probe().metric(EVENTS) - events).isBetween(1.0, 2.0);
        assertThat(others).noneMatch(CompletableFuture::isDone);
        mine.release();
        others.forEach(other -> TestClient.get(other).release());
    }

    @Test
    void oneThatGivesUpInTheMiddleHoldsNobodyUp() {
        HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
        var givesUp = queue(client(), LockMode.EXCLUSIVE, Duration.ofSeconds(4));
        var cancelled = queue(client());
        var last = queue(client());
        cancelled.cancel(true);
        assertThat(givesUp)
                .failsWithin(TestClient.PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(LockException.class);
        await().atMost(TestClient.PATIENCE)
                .until(() -> etcd.probe().keys("lock/queue/").size() == 2);
        held.release();
        TestClient.get(last).close();
        assertThat(etcd.probe().keys("lock/queue/")).isEmpty();
    }

    @Test
    void oneThatDiesInTheMiddleHoldsOthersUpForItsTimeToLiveAtMost() {
        HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
        Duration timeToLive = Duration.ofSeconds(2);
        TestClient dies = client(timeToLive);
        queue(dies);
        var last = queue(client());
        // Its process is gone: nothing more is sent.
        dies.connection.close();
        long died = Ticker.system().nanos();
        held.release();
        TestClient.get(last).close();
        assertThat(Duration.ofNanos(Ticker.system().nanos() - died))
                .isLessThan(timeToLive.plus(LEASES_END).plus(SLOW_MACHINE));
        assertThat(etcd.probe().keys("lock/queue/")).isEmpty();
        await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().watches().watchers() == 0);
    }

    @Test
    void readersWaitForTheLastWriterAndLetEachOtherBe() {
        HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
        var reader = queue(client(), LockMode.SHARED);
        var second = queue(client(), LockMode.SHARED);
        var writer = queue(client());
        var late = queue(client(), LockMode.SHARED);
        held.release();
        HeldLock reading = TestClient.get(reader);
        HeldLock readingToo = TestClient.get(second);
        assertThat(holder.locks.inspect(KEY).orElseThrow().holders()).hasSize(2);
        assertThat(writer).isNotDone();
        assertThat(late).isNotDone();
        reading.release();
        readingToo.release();
        HeldLock writing = TestClient.get(writer);
        assertThat(late).isNotDone();
        writing.release();
        TestClient.get(late).close();
    }

    @Test
    void aPlaceThatIsDeletedByHandIsTakenAgainAtTheEnd() {
        HeldLock held = holder.locks.acquire(holder.locks.request(KEY));
        var first = queue(client());
        var second = queue(client());
        List<String> keys = etcd.probe().entries("lock/queue/").stream()
                .sorted(Comparator.comparingLong(EtcdEntry::createRevision))
                .map(EtcdEntry::key)
                .toList();
        awaitAllWatch(2);
        etcd.probe().delete(keys.get(1));
        await().atMost(TestClient.PATIENCE)
                .until(() -> etcd.probe().keys("lock/queue/").size() == 3);
        held.release();
        HeldLock next = TestClient.get(second);
        assertThat(first).isNotDone();
        next.release();
        TestClient.get(first).close();
    }
}
