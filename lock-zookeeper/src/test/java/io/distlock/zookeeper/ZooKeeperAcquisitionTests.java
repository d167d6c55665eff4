package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.junit.jupiter.api.Test;

/** Acquisitions that are overtaken by something else between two of their steps. The clock is the test's, the server is real. */
class ZooKeeperAcquisitionTests extends SteppedTimeFixture {

    private final List<Throwable> failures = new CopyOnWriteArrayList<>();

    private ZooKeeperAcquisition acquire(String owner, LockMode mode, LockOptions options) {
        LeaseRequest.Listener listener = new LeaseRequest.Listener() {

            @Override
            public void failed(Throwable cause) {
                failures.add(cause);
            }
        };
        ZooKeeperAcquisition acquisition = new ZooKeeperAcquisition(
                queues, new LeaseRequest(key, mode, owner, options, Deadline.in(options.waitTime(), ticker), listener));
        acquisition.advance();
        return acquisition;
    }

    private ZooKeeperAcquisition acquire(String owner) {
        return acquire(owner, LockMode.EXCLUSIVE, LockOptions.defaults().withWaitTime(PATIENCE));
    }

    private List<String> nodes() {
        return nodes(queues.paths.queue(key));
    }

    /** Another client's place, ahead of all that come later. */
    private String another() {
        String queue = queues.paths.queue(key);
        return get(usual().calls().enqueue(queues.paths.ancestors(queue), queue, "another-lock-", "another"))
                .path();
    }

    private void assertClosed(CompletableFuture<Optional<Grant>> acquisition) {
        assertThatThrownBy(() -> get(acquisition)).hasMessageContaining("the provider is closed");
    }

    @Test
    void whoeverAsksAfterTheCloseIsToldSo() {
        usual();
        queues.close();
        assertClosed(acquire("late"));
    }

    @Test
    void theCloseEndsEachWait() {
        another();
        LockOptions options = LockOptions.defaults().withWaitTime(PATIENCE);
        // None of them waits for another.
        List<ZooKeeperAcquisition> waiters = Stream.of("first", "second", "third")
                .map(reader -> acquire(reader, LockMode.SHARED, options))
                .toList();
        await().atMost(PATIENCE).until(() -> nodes().size() == 4);
        // Their watches are answered, and they wait.
        get(usual().calls().sync());
        queues.close();
        waiters.forEach(this::assertClosed);
    }

    @Test
    void theCloseEndsTheWaitOfAnAcquisitionThatIsUnderWay() {
        another();
        proxy.freeze();
        ZooKeeperAcquisition waiter = acquire("waiter");
        queues.close();
        proxy.thaw();
        assertClosed(waiter);
    }

    @Test
    void aLockThatIsGrantedAfterTheCloseIsGivenBack() {
        usual();
        proxy.freeze();
        ZooKeeperAcquisition granted = acquire("late");
        queues.close();
        proxy.thaw();
        assertClosed(granted);
        await().atMost(PATIENCE).until(() -> nodes().isEmpty());
    }

    /** Nobody would release it. */
    @Test
    void aLockThatIsGrantedAtTheMomentOfItsCancellationIsGivenBack() {
        ZooKeeperSession session = usual();
        CompletableFuture<ZooKeeperAcquisition> started = new CompletableFuture<>();
        // The lock is about to be looked after.
        whenScheduling(() -> {
            if (session.isHeld()) {
                whenScheduling(() -> {});
                started.thenAccept(acquisition -> acquisition.cancel(false));
            }
        });
        ZooKeeperAcquisition cancelled = acquire("cancelled");
        started.complete(cancelled);
        await().atMost(PATIENCE).until(cancelled::isCancelled);
        await().atMost(PATIENCE).until(() -> nodes().isEmpty());
        assertThat(session.isHeld()).isFalse();
    }

    /** A lock that is not renewed needs its whole time, and one that is renewed gets the rest soon. */
    @Test
    void aLockThatIsNotRenewedIsGrantedOnlyOnASessionThatWasJustConfirmed() {
        LockOptions options = LockOptions.defaults().withWaitTime(PATIENCE);
        letTheConfirmationAge();
        Grant renewed = get(acquire("renewed", LockMode.SHARED, options)).orElseThrow();
        assertThat(failures).isEmpty();
        assertThat(renewed.since().elapsedNanos(ticker))
                .isGreaterThan(Duration.ofSeconds(1).toNanos());
        ZooKeeperAcquisition unrenewed = acquire("unrenewed", LockMode.SHARED, options.withRenew(false));
        CompletableFuture<Long> over =
                unrenewed.thenApply(grant -> grant.orElseThrow().since().elapsedNanos(ticker));
        await().atMost(PATIENCE).until(() -> !failures.isEmpty());
        assertThat(unrenewed).isNotDone();
        await().atMost(PATIENCE).until(() -> {
            pass(Duration.ofSeconds(1), usual());
            return over.isDone();
        });
        assertThat(get(over)).isLessThan(Duration.ofMillis(300).toNanos());
    }

    /** Its request was lost with the connection, and there is no queue to be found in. */
    @Test
    void aPlaceThatWasNeverMadeIsTakenAnew() {
        usual();
        proxy.cutBeforeNextRequest();
        ZooKeeperAcquisition first = acquire("first");
        await().atMost(PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(50));
            return first.isDone();
        });
        assertThat(failures).isNotEmpty();
        assertThat(get(first)).isPresent();
        assertThat(nodes()).hasSize(1);
    }

    /** The store has answered since. */
    @Test
    void aFailureThatIsOverDoesNotMakeARefusalOfIt() {
        another();
        proxy.cutBeforeNextReply();
        ZooKeeperAcquisition waiter =
                acquire("waiter", LockMode.EXCLUSIVE, LockOptions.defaults().withWaitTime(Duration.ofSeconds(10)));
        await().atMost(PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(10));
            return !failures.isEmpty() && nodes().size() == 2;
        });
        get(usual().calls().sync());
        await().atMost(PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(500));
            get(usual().calls().sync());
            return waiter.isDone();
        });
        assertThat(get(waiter)).isEmpty();
    }

    /** All watch the same node. */
    @Test
    void aReaderThatGivesUpLeavesTheWakeUpToTheOthers() {
        String ahead = another();
        LockOptions options = LockOptions.defaults().withWaitTime(PATIENCE);
        ZooKeeperAcquisition first = acquire("first", LockMode.SHARED, options);
        ZooKeeperAcquisition second = acquire("second", LockMode.SHARED, options);
        ZooKeeperAcquisition goes = acquire("goes", LockMode.SHARED, options);
        await().atMost(PATIENCE).until(() -> nodes().size() == 4);
        get(usual().calls().sync());
        goes.cancel(false);
        await().atMost(PATIENCE).until(() -> nodes().size() == 3);
        get(usual().calls().delete(ahead));
        assertThat(get(first)).isPresent();
        assertThat(get(second)).isPresent();
    }

    /** Whatever it waits for. */
    @Test
    void theEndOfASessionWakesEachOfItsWaiters() {
        List<LockKey> keys = List.of(LockKey.of(name, "1"), LockKey.of(name, "2"), LockKey.of(name, "3"));
        ZooKeeperSession ended = usual();
        List<List<String>> before = keys.stream().map(this::placeBehindAnother).toList();
        get(ended.calls().sync());
        ended.process(new WatchedEvent(Watcher.Event.EventType.None, Watcher.Event.KeeperState.Expired, null));
        await().atMost(PATIENCE)
                .until(() -> keys.stream()
                        .map(each -> nodes(queues.paths.queue(each)))
                        .allMatch(names -> names.size() == 2 && !before.contains(names)));
    }

    private List<String> placeBehindAnother(LockKey of) {
        String queue = queues.paths.queue(of);
        get(usual().calls().enqueue(queues.paths.ancestors(queue), queue, "another-lock-", "another"));
        new ZooKeeperAcquisition(
                        queues,
                        new LeaseRequest(
                                of, LockMode.EXCLUSIVE, name, LockOptions.defaults(), Deadline.in(PATIENCE, ticker)))
                .advance();
        return await().atMost(PATIENCE).until(() -> nodes(queue), names -> names.size() == 2);
    }

    /** Asking again could not change it. */
    @Test
    void aRequestThatIsMistakenFailsAtOnce() {
        ZooKeeperClients clients = new ZooKeeperClients(CuratorFrameworkFactory.builder()
                .connectString(zooKeeper.server().connectString() + "/none/below"));
        ZooKeeperSessions misled = new ZooKeeperSessions(runtime, LocalZooKeeper.OPTIONS, clients);
        ZooKeeperAcquisition acquisition = new ZooKeeperAcquisition(
                new ZooKeeperQueues(runtime, LocalZooKeeper.OPTIONS, misled),
                new LeaseRequest(
                        key, LockMode.EXCLUSIVE, "misled", LockOptions.defaults(), Deadline.in(PATIENCE, ticker)));
        acquisition.advance();
        // The clock stands still, so nothing is repeated.
        assertThatThrownBy(() -> get(acquisition)).hasMessageContaining("the chroot");
        misled.close(PATIENCE);
    }

    /** What its caller sends next comes after it has left, or it would stand in its own way. */
    @Test
    void whoeverIsRefusedHasLeftTheQueueBeforeItIsTold() {
        LockOptions once = LockOptions.defaults().withWaitTime(Duration.ZERO);
        assertThat(get(acquire("reader", LockMode.SHARED, once))).isPresent();
        CompletableFuture<Optional<Grant>> next = acquire("writer", LockMode.EXCLUSIVE, once)
                .thenCompose(refused -> {
                    assertThat(refused).isEmpty();
                    return acquire("another", LockMode.SHARED, once);
                });
        assertThat(get(next)).isPresent();
    }

    /** Nobody else would: the session lives on. */
    @Test
    void aPlaceThatCouldNotBeLeftIsLeftLater() {
        another();
        ZooKeeperAcquisition waiter = acquire("waiter");
        await().atMost(PATIENCE).until(() -> nodes().size() == 2);
        get(usual().calls().sync());
        proxy.refuse();
        proxy.cut();
        waiter.cancel(false);
        proxy.accept();
        awaitConnection();
        await().atMost(PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(200));
            return nodes().size() == 1;
        });
    }

    @Test
    void anAttemptThatDoesNotWaitHasTheTimeOfACall() {
        usual();
        proxy.freeze();
        ZooKeeperAcquisition once =
                acquire("once", LockMode.EXCLUSIVE, LockOptions.defaults().withWaitTime(Duration.ZERO));
        ticker.advance(LocalZooKeeper.OPTIONS.callTimeout().minusMillis(1));
        proxy.thaw();
        assertThat(get(once)).isPresent();
    }

    @Test
    void theAnswerToARequestThatWasSentInTimeMayBeALittleLate() {
        usual();
        proxy.freeze();
        ZooKeeperAcquisition late =
                acquire("late", LockMode.EXCLUSIVE, LockOptions.defaults().withWaitTime(Duration.ofMillis(500)));
        ticker.advance(Duration.ofMillis(550));
        proxy.thaw();
        assertThat(get(late)).isPresent();
    }

    /** Another client's, whose process has ended: nobody else deletes its node. */
    private SessionCalls.Content kept(Duration time) {
        String path = another();
        String queue = queues.paths.queue(key);
        String kept = queue + "/"
                + QueueNode.of(path.substring(queue.length() + 1)).orElseThrow().kept(time);
        get(usual().calls().replace(path, kept));
        return get(usual().calls().read(kept));
    }

    @Test
    void whoeverComesLateWaitsOnlyForTheRestOfAMinimumHoldTime() {
        SessionCalls.Content kept = kept(Duration.ofSeconds(10));
        // By the server's clock.
        await().atMost(PATIENCE).until(() -> {
            String queue = queues.paths.queue(LockKey.of(name, "clock"));
            long now = get(usual().calls().enqueue(queues.paths.ancestors(queue), queue, "clock-lock-", ""))
                    .stat()
                    .getCtime();
            return now - kept.stat().getCtime() > 400;
        });
        ZooKeeperAcquisition waiter = acquire("waiter");
        await().atMost(PATIENCE).until(() -> nodes().size() == 2);
        // It has seen what it waits for.
        get(usual().calls().sync());
        pass(Duration.ofSeconds(9), usual());
        assertThat(waiter).isNotDone();
        pass(Duration.ofSeconds(1), usual());
        assertThat(get(waiter)).isPresent();
    }

    @Test
    void aMinimumHoldTimeDoesNotProlongAWait() {
        kept(Duration.ofSeconds(10));
        ZooKeeperAcquisition waiter =
                acquire("waiter", LockMode.EXCLUSIVE, LockOptions.defaults().withWaitTime(Duration.ofSeconds(2)));
        await().atMost(PATIENCE).until(() -> nodes().size() == 2);
        get(usual().calls().sync());
        pass(Duration.ofSeconds(3), usual());
        assertThat(get(waiter)).isEmpty();
    }

    @Test
    void whoeverNoLongerWaitsIsForgotten() {
        another();
        WeakReference<ZooKeeperAcquisition> waiter = new WeakReference<>(acquire("waiter"));
        await().atMost(PATIENCE).until(() -> nodes().size() == 2);
        get(usual().calls().sync());
        cancel(waiter);
        await().atMost(PATIENCE).until(() -> {
            pass(Duration.ofSeconds(1), usual());
            System.gc();
            return waiter.get() == null;
        });
    }

    private static void cancel(WeakReference<ZooKeeperAcquisition> waiter) {
        ZooKeeperAcquisition acquisition = waiter.get();
        if (acquisition != null) {
            acquisition.cancel(false);
        }
    }
}
