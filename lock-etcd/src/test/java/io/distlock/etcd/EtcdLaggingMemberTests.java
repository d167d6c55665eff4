package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.test.etcd.EtcdClusterExtension;
import io.distlock.test.etcd.EtcdServer;
import io.distlock.test.etcd.EtcdServerOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A member that does not know what the others have decided, and has not noticed yet that it is alone. */
class EtcdLaggingMemberTests {

    @RegisterExtension
    static final EtcdClusterExtension etcd =
            EtcdClusterExtension.create(EtcdServerOptions.defaults().withSeverablePeers());

    private static final LockKey KEY = LockKey.of("lagging");

    @Test
    void whatItSaysIsNotTakenForTheTruth() {
        EtcdServer leader = etcd.cluster().awaitLeader();
        EtcdServer member = etcd.cluster().followers().get(0);
        EtcdLockOptions options = EtcdLockOptions.defaults();
        try (TestClient client = TestClient.of(
                LocalEtcd.connection(List.of(member.endpoint()), options), options, Duration.ofMinutes(2))) {
            HeldLock held = client.locks.acquire(client.locks.request(KEY).withWaitTime(TestClient.PATIENCE));
            etcd.cluster().cutOff(member);
            leader.probe().deleteAll("lock/lagging/");
            CompletableFuture<Boolean> current = client.provider
                    .isCurrent(held.sequencers().get(0))
                    .toCompletableFuture()
                    // No answer is better than a wrong one.
                    .exceptionally(failure -> false);
            assertThat(TestClient.get(current)).isFalse();
        }
    }
}
