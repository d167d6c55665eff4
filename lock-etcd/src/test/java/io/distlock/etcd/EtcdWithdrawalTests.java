package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
    private QueueCalls queue;

    @BeforeEach
    void open() {
        runtime = LockRuntime.start();
        connection = LocalEtcd.connection(etcd.server().endpoint());
        LocalEtcd.warmUp(connection);
        calls = new EtcdCalls(connection.client(), runtime.timeouts(), Duration.ofSeconds(5), 1);
        queue = new QueueCalls(calls, new HolderNote());
    }

    @AfterEach
    void close() {
        connection.close();
        runtime.close();
    }

    private Place place(long leaseId) {
        LeaseRequest request = new LeaseRequest(
                KEY,
                LockMode.EXCLUSIVE,
                "owner-1",
                LockOptions.defaults(),
                Deadline.in(TestClient.PATIENCE, runtime.ticker()));
        Moment now = Ticker.system().now();
        Session session = new Session(
                calls,
                runtime.ticker(),
                leaseId,
                true,
                now,
                Duration.ofSeconds(60),
                extended -> CompletableFuture.completedFuture(null));
        return new Place(
                request,
                keys.of(KEY),
                keys.place(KEY, LockMode.EXCLUSIVE, leaseId, "owner-1"),
                keys.withdrawal(LockMode.EXCLUSIVE, leaseId, "owner-1"),
                session);
    }

    @Test
    void aPlaceThatWasGivenUpCannotBeTakenAnyMore() {
        Place place = place(etcd.probe().grant(Duration.ofSeconds(60)));
        assertThat(TestClient.get(queue.withdraw(place))).isEqualTo(Release.NOT_OWNER);
        assertThat(TestClient.get(queue.enter(place))).isEqualTo(new Place.Gone());
        assertThat(etcd.probe().keys("lock/late/")).isEmpty();
    }

    @Test
    void aPlaceThatWasTakenAndGivenUpCannotBeTakenAgain() {
        Place place = place(etcd.probe().grant(Duration.ofSeconds(60)));
        assertThat(TestClient.get(queue.enter(place))).isInstanceOf(Place.Standing.class);
        assertThat(TestClient.get(queue.withdraw(place))).isEqualTo(Release.RELEASED);
        assertThat(TestClient.get(queue.enter(place))).isEqualTo(new Place.Gone());
        assertThat(etcd.probe().keys("lock/late/")).isEmpty();
    }

    @Test
    void askingAgainFindsTheSamePlace() {
        Place place = place(etcd.probe().grant(Duration.ofSeconds(60)));
        Place.Standing first = (Place.Standing) TestClient.get(queue.enter(place));
        Place.Standing again = (Place.Standing) TestClient.get(queue.enter(place));
        assertThat(again.createRevision()).isEqualTo(first.createRevision());
        assertThat(etcd.probe().keys("lock/late/")).hasSize(1);
    }

    @Test
    void whatSaysSoEndsWithTheSession() {
        long lease = etcd.probe().grant(Duration.ofSeconds(60));
        TestClient.get(queue.withdraw(place(lease)));
        assertThat(etcd.probe().keys("lock/")).isEqualTo(List.of("lock//" + "%016x-owner-1".formatted(lease)));
        etcd.probe().revoke(lease);
        assertThat(etcd.probe().keys("lock/")).isEmpty();
        assertThat(TestClient.get(queue.withdraw(place(lease)))).isEqualTo(Release.NOT_OWNER);
    }
}
