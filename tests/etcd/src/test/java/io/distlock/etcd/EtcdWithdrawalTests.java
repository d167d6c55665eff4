package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdExtension;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests that are carried out when nobody waits for them any more. */
class EtcdWithdrawalTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("late");

    private final EtcdKeys keys = new EtcdKeys("lock");
    private LockRuntime runtime;
    private EtcdConnection connection;
    private EtcdCalls calls;
    private QueueTransactions queue;

    @BeforeEach
    void open() {
        runtime = LockRuntime.start();
        connection = LocalEtcd.connection(etcd.server().endpoint());
        LocalEtcd.warmUp(connection);
        calls = connection.calls(runtime.timeouts(), Duration.ofSeconds(5), 1);
        queue = new QueueTransactions(calls, keys);
    }

    @AfterEach
    void close() {
        connection.close();
        runtime.close();
    }

    private Session session() {
        return session(etcd.probe().grant(Duration.ofSeconds(60)));
    }

    private Session session(long lease) {
        LeaseGrantResponse granted = new LeaseGrantResponse(io.etcd.jetcd.api.LeaseGrantResponse.newBuilder()
                .setID(lease)
                .setTTL(60)
                .build());
        return new Session(
                calls, runtime.ticker(), granted, true, runtime.ticker().now(), () -> {});
    }

    /** As it is asked for now: with the session's epoch. */
    private QueuePlace place(Session session, String owner, int attempt) {
        LeaseRequest request = new LeaseRequest(
                KEY,
                LockMode.EXCLUSIVE,
                owner,
                LockOptions.defaults(),
                Deadline.in(TestClient.PATIENCE, runtime.ticker()));
        return new QueuePlace(
                request,
                keys.place(KEY, LockMode.EXCLUSIVE, session.id(), attempt, owner),
                session,
                attempt,
                session.epoch());
    }

    private QueueFinding enter(QueuePlace place) {
        return TestClient.get(queue.enter(place));
    }

    private Release withdraw(QueuePlace place) {
        return TestClient.get(queue.withdraw(place));
    }

    private static void assertNobodyQueues() {
        assertThat(etcd.probe().keys("lock/late/")).isEmpty();
    }

    @Test
    void aRequestThatArrivesAfterItsWithdrawalTakesNoPlace() {
        QueuePlace place = place(session(), "owner-1", 0);
        assertThat(withdraw(place)).isEqualTo(Release.RELEASED);
        assertThat(enter(place)).isEqualTo(new QueueFinding.Refused());
        assertNobodyQueues();
    }

    @Test
    void norDoesOneOfASessionThatHasBeenUsed() {
        Session session = session();
        enter(place(session, "other", 0));
        QueuePlace place = place(session, "owner-1", 0);
        assertThat(withdraw(place)).isEqualTo(Release.RELEASED);
        assertThat(enter(place)).isEqualTo(new QueueFinding.Refused());
        assertThat(etcd.probe().keys("lock/late/")).hasSize(1);
    }

    @Test
    void aPlaceThatWasTakenIsDeletedByItsWithdrawalAndStaysAway() {
        QueuePlace place = place(session(), "owner-1", 0);
        assertThat(enter(place)).isInstanceOf(QueueFinding.Standing.class);
        assertThat(withdraw(place)).isEqualTo(Release.RELEASED);
        assertNobodyQueues();
        assertThat(enter(place)).isEqualTo(new QueueFinding.Refused());
        assertNobodyQueues();
    }

    /** Those of the same epoch: the second one finds that it has moved on. */
    @Test
    void theFirstOfTwoWithdrawalsHoldsForBoth() {
        Session session = session();
        enter(place(session, "other", 0));
        QueuePlace one = place(session, "owner-1", 0);
        QueuePlace another = place(session, "owner-2", 0);
        enter(another);
        long before = session.epoch();
        withdraw(one);
        long after = session.epoch();
        withdraw(another);
        assertThat(after).isGreaterThan(before);
        assertThat(session.epoch()).isEqualTo(after);
        assertThat(enter(one)).isEqualTo(new QueueFinding.Refused());
        assertThat(enter(another)).isEqualTo(new QueueFinding.Refused());
        assertThat(etcd.probe().keys("lock/late/")).hasSize(1);
    }

    @Test
    void theNextPlaceOfTheSameAcquisitionIsTakenAndNotTouchedByALateWithdrawal() {
        Session session = session();
        QueuePlace first = place(session, "owner-1", 0);
        withdraw(first);
        QueuePlace next = place(session, "owner-1", 1);
        assertThat(enter(next)).isInstanceOf(QueueFinding.Standing.class);
        withdraw(first);
        assertThat(etcd.probe().keys("lock/late/")).hasSize(1);
    }

    @Test
    void whoeverWasRefusedKnowsTheEpochThen() {
        Session session = session();
        QueuePlace first = place(session, "owner-1", 0);
        Session sameElsewhere = session(session.id());
        enter(place(sameElsewhere, "other", 0));
        assertThat(enter(first)).isEqualTo(new QueueFinding.Refused());
        assertThat(enter(place(session, "owner-1", 1))).isInstanceOf(QueueFinding.Standing.class);
    }

    @Test
    void aSessionThatIsGoneNeedsNoWithdrawalAndLeavesNothing() {
        Session session = session();
        QueuePlace place = place(session, "owner-1", 0);
        enter(place);
        etcd.probe().revoke(session.id());
        assertThat(etcd.probe().keys("")).isEmpty();
        assertThat(withdraw(place)).isEqualTo(Release.RELEASED);
        assertThat(withdraw(place(session, "owner-2", 0))).isEqualTo(Release.RELEASED);
        assertThat(etcd.probe().keys("")).isEmpty();
    }

    @Test
    void leavingComparesTheCreateRevision() {
        QueuePlace place = place(session(), "owner-1", 0);
        long created = ((QueueFinding.Standing) enter(place)).createRevision();
        assertThat(TestClient.get(queue.leave(place.key(), created - 1))).isEqualTo(Release.NOT_OWNER);
        assertThat(etcd.probe().keys("lock/late/")).hasSize(1);
        assertThat(TestClient.get(queue.leave(place.key(), created))).isEqualTo(Release.RELEASED);
        assertNobodyQueues();
    }

    @Test
    void keepingComparesTheCreateRevision() {
        Session session = session();
        QueuePlace place = place(session, "owner-1", 0);
        long created = ((QueueFinding.Standing) enter(place)).createRevision();
        long lease = etcd.probe().grant(Duration.ofSeconds(60));
        assertThat(TestClient.get(queue.keep(place.key(), created - 1, lease))).isEqualTo(Release.NOT_OWNER);
        assertThat(etcd.probe().lease(lease).orElseThrow().keys()).isEmpty();
        assertThat(TestClient.get(queue.keep(place.key(), created, lease))).isEqualTo(Release.RELEASED);
        assertThat(etcd.probe().lease(lease).orElseThrow().keys()).hasSize(1);
        etcd.probe().deleteAll("lock/late/");
        assertThat(TestClient.get(queue.keep(place.key(), created, lease))).isEqualTo(Release.NOT_OWNER);
        assertNobodyQueues();
    }
}
