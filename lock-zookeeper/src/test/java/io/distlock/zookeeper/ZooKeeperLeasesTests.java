package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.junit.jupiter.api.Test;

/** What is answered and told about held locks. The clock is the test's, the server is real. */
class ZooKeeperLeasesTests extends SteppedTimeFixture {

    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final Map<String, Renewal> answers = new ConcurrentHashMap<>();

    private ZooKeeperLease held(String owner) {
        return held(owner, LockOptions.defaults().leaseTime());
    }

    /** A lock of its own, whose loss is told by the owner's name. */
    private ZooKeeperLease held(String owner, Duration leaseTime) {
        LeaseRequest request = new LeaseRequest(
                LockKey.of(name, owner),
                LockMode.EXCLUSIVE,
                owner,
                LockOptions.defaults().withLeaseTime(leaseTime),
                Deadline.in(PATIENCE, ticker));
        ZooKeeperAcquisition acquisition = new ZooKeeperAcquisition(queues, request);
        acquisition.advance();
        ZooKeeperLease lease = (ZooKeeperLease) get(acquisition).orElseThrow().lease();
        queues.leases.onLoss(lease, () -> told.add(owner));
        return lease;
    }

    private void renew(Lease... leases) {
        queues.leases.renew(List.of(leases), (lease, renewal) -> answers.put(lease.owner(), renewal));
    }

    private static void expire(ZooKeeperSession session) {
        session.process(new WatchedEvent(Watcher.Event.EventType.None, Watcher.Event.KeeperState.Expired, null));
    }

    private boolean exists(ZooKeeperLease lease) {
        return nodes(lease.place.queue()).contains(lease.place.node().name());
    }

    @Test
    void theEndOfASessionIsToldToEachOfItsHoldersAndToNobodyElse() {
        ZooKeeperLease first = held("first");
        held("second");
        held("third");
        ZooKeeperLease another = held("another", Duration.ofSeconds(20));
        expire(first.session());
        assertThat(told).containsExactlyInAnyOrder("first", "second", "third");
        renew(another);
        assertThat(answers).containsEntry("another", Renewal.RENEWED);
    }

    @Test
    void aLockThatIsGrantedWhenItsSessionHasEndedIsLostAtOnce() {
        ZooKeeperLease before = held("before");
        expire(before.session());
        told.clear();
        LeaseRequest request = new LeaseRequest(
                LockKey.of(name), LockMode.EXCLUSIVE, "late", LockOptions.defaults(), Deadline.in(PATIENCE, ticker));
        QueuePlace place = new QueuePlace(
                request, before.session().use(), before.place.queue(), before.place.node(), 1, 0, ticker.nanos());
        ZooKeeperLease late = (ZooKeeperLease) queues.leases.add(place).lease();
        queues.leases.onLoss(late, () -> told.add("late"));
        assertThat(told).containsExactly("late");
        assertThat(queues.leases.again(request)).isEmpty();
    }

    /** One confirmation serves them all. */
    @Test
    void eachLeaseOfABatchIsAnsweredWhenTheirSessionHasToBeConfirmed() {
        Lease[] all = {held("first"), held("second"), held("third")};
        letTheConfirmationAge();
        renew(all);
        await().atMost(PATIENCE).until(() -> answers.size() == 3);
        assertThat(answers).hasSize(3).containsValues(Renewal.RENEWED).doesNotContainValue(Renewal.UNKNOWN);
    }

    @Test
    void aRenewalThatIsNotAnsweredIsUnknown() {
        ZooKeeperLease lease = held("holder");
        letTheConfirmationAge();
        proxy.refuse();
        proxy.cut();
        renew(lease);
        await().atMost(PATIENCE).until(() -> !answers.isEmpty());
        assertThat(answers).containsEntry("holder", Renewal.UNKNOWN);
        assertThat(told).isEmpty();
    }

    @Test
    void anExtensionBeyondTheLeaseOfTheAcquisitionIsRefused() {
        ZooKeeperLease lease = held("holder", Duration.ofSeconds(20));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> queues.leases.extend(lease, Duration.ofMillis(20_001), (same, renewal) -> {}))
                .withMessageContaining("Acquire it with a longer lease");
    }

    @Test
    void aLockLastsForItsExtensionAndNoLonger() {
        ZooKeeperLease lease = held("holder");
        pass(Duration.ofSeconds(28), lease.session());
        queues.leases.extend(lease, Duration.ofSeconds(5), (same, renewal) -> answers.put("extended", renewal));
        await().atMost(PATIENCE).until(() -> answers.get("extended") == Renewal.RENEWED);
        pass(Duration.ofSeconds(4), lease.session());
        assertThat(exists(lease)).isTrue();
        pass(Duration.ofMillis(1_500), lease.session());
        await().atMost(PATIENCE).until(() -> !exists(lease));
    }

    @Test
    void anExtensionNeverShortensALease() {
        ZooKeeperLease lease = held("holder");
        queues.leases.extend(lease, Duration.ofSeconds(1), (same, renewal) -> answers.put("extended", renewal));
        await().atMost(PATIENCE).until(() -> answers.get("extended") == Renewal.RENEWED);
        pass(Duration.ofSeconds(28), lease.session());
        assertThat(exists(lease)).isTrue();
    }

    /** Or its holder would rely on more time than its session certainly lasts. */
    @Test
    void aRenewalAnExtensionAndARepeatedGrantCountFromWhenTheSessionWasConfirmed() {
        ZooKeeperLease lease = held("holder");
        letTheConfirmationAge();
        Map<String, Duration> ages = new ConcurrentHashMap<>();
        queues.leases.renew(List.of(lease), aged("renewed", ages));
        queues.leases.extend(lease, Duration.ofSeconds(5), aged("extended", ages));
        Moment since = queues.leases.again(lease.place.request()).orElseThrow().since();
        ages.put("granted again", Duration.ofNanos(since.elapsedNanos(ticker)));
        await().atMost(PATIENCE).until(() -> ages.size() == 3);
        assertThat(ages.values()).allSatisfy(age -> assertThat(age).isGreaterThan(Duration.ofSeconds(1)));
    }

    private Renewal.Answers aged(String what, Map<String, Duration> ages) {
        return new Renewal.Answers() {

            @Override
            public void answer(Lease lease, Renewal renewal) {
                ages.put(what + ", " + renewal, Duration.ZERO);
            }

            @Override
            public void renewedSince(Lease lease, Moment since) {
                ages.put(what, Duration.ofNanos(since.elapsedNanos(ticker)));
            }
        };
    }

    @Test
    void anExtensionThatIsNotAnsweredIsUnknown() {
        ZooKeeperLease lease = held("holder");
        proxy.refuse();
        proxy.cut();
        queues.leases.extend(lease, Duration.ofSeconds(5), (same, renewal) -> answers.put("extended", renewal));
        await().atMost(PATIENCE).until(() -> !answers.isEmpty());
        assertThat(answers).containsEntry("extended", Renewal.UNKNOWN);
    }

    @Test
    void aLockIsKeptForItsLeaseAndItsLockDelayAlsoOnceItIsRenewed() {
        LeaseRequest request = new LeaseRequest(
                LockKey.of(name),
                LockMode.EXCLUSIVE,
                "holder",
                LockOptions.defaults().withLeaseTime(Duration.ofSeconds(10)).withLockDelay(Duration.ofSeconds(5)),
                Deadline.in(PATIENCE, ticker));
        ZooKeeperAcquisition acquisition = new ZooKeeperAcquisition(queues, request);
        acquisition.advance();
        ZooKeeperLease lease = (ZooKeeperLease) get(acquisition).orElseThrow().lease();
        assertThat(lease.session().timeToLive()).isEqualTo(Duration.ofSeconds(15));
        assertExpiresIn(Duration.ofSeconds(15), lease);
        pass(Duration.ofSeconds(6), lease.session());
        renew(lease);
        await().atMost(PATIENCE).until(() -> answers.get("holder") == Renewal.RENEWED);
        assertExpiresIn(Duration.ofSeconds(15), lease);
    }

    private void assertExpiresIn(Duration time, ZooKeeperLease lease) {
        long end = ticker.nanos() + time.toNanos();
        assertThat(lease.isExpired(end - 1)).isFalse();
        assertThat(lease.isExpired(end)).isTrue();
    }

    /** Or the holder would not be told of what happens to its node. */
    @Test
    void aWatchThatFailedIsTriedAgain() {
        ZooKeeperLease lease = held("holder");
        proxy.freeze();
        ticker.advance(Duration.ofMillis(300));
        proxy.cut();
        proxy.thaw();
        awaitConnection();
        ticker.advance(Duration.ofSeconds(1));
        get(usual().calls().sync());
        get(usual().calls().delete(lease.place.path()));
        await().atMost(PATIENCE).until(() -> told.contains("holder"));
    }

    /** Nobody else deletes it while the session lives. */
    @Test
    void aLockThatIsNoLongerExtendedIsDeletedLaterIfItCannotBeNow() {
        ZooKeeperLease lease = held("holder");
        proxy.refuse();
        proxy.cut();
        queues.leases.abandon(lease);
        proxy.accept();
        awaitConnection();
        awaitDeletion(lease.place.queue());
    }

    @Test
    void aMinimumHoldTimeEndsThoughItsBeginWasNotAnswered() {
        ZooKeeperLease lease = held("holder");
        proxy.cutBeforeNextReply();
        assertThat(get(queues.leases.release(lease, Duration.ofSeconds(3)))).isEqualTo(Release.UNKNOWN);
        awaitConnection();
        assertThat(nodes(lease.place.queue())).singleElement().asString().contains("kept.3000.");
        awaitDeletion(lease.place.queue());
    }

    private void awaitDeletion(String queue) {
        await().atMost(PATIENCE).until(() -> {
            ticker.advance(Duration.ofMillis(200));
            return nodes(queue).isEmpty();
        });
    }
}
