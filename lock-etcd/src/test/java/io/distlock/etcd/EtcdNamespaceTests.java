package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdRpcs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** A namespace that ends with what locks' keys begin with. */
class EtcdNamespaceTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final String NAMESPACE = "team-lock/";

    /** Extended every two seconds. */
    private static final Duration LEASE = Duration.ofSeconds(8);

    private final Logger logger = (Logger) LoggerFactory.getLogger(SessionAudit.class);
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();

    @BeforeEach
    void listen() {
        said.start();
        logger.addAppender(said);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(said);
    }

    private static TestClient client() {
        EtcdServers servers = EtcdServers.at(List.of(etcd.server().uri())).withNamespace(NAMESPACE);
        return TestClient.of(EtcdConnection.to(servers, LocalEtcd.PATIENT), LocalEtcd.PATIENT, LEASE);
    }

    @Test
    void locksInItAreFoundAsTheyAreExtended() {
        try (TestClient client = client()) {
            HeldLock one = client.locks.acquire(client.locks.request("one"));
            HeldLock other = client.locks.acquire(client.locks.request("other"));
            EtcdRpcs before = etcd.probe().rpcs();
            // What is strange twice is removed: the third look comes after that.
            await().atMost(TestClient.PATIENCE)
                    .until(() -> etcd.probe().rpcs().since(before).started("LeaseTimeToLive") >= 3);
            EtcdRpcs cost = etcd.probe().rpcs().since(before);
            assertThat(cost.started("Range")).isZero();
            assertThat(cost.started("Txn")).isZero();
            assertThat(said.list).isEmpty();
            assertThat(one.isHeld() && other.isHeld()).isTrue();
            assertThat(etcd.probe().keys(NAMESPACE + "lock/")).hasSize(2);
        }
    }

    @Test
    void whatIsLeftBehindInItIsRemoved() {
        LockKey key = LockKey.of("taken");
        try (TestClient client = client();
                HeldLock other = client.locks.acquire(client.locks.request("other"))) {
            long lease = etcd.probe().leases().iterator().next();
            etcd.probe().put(NAMESPACE + "lock/taken/0123456789abcdef-ghost-1", "exclusive", lease);
            client.locks
                    .acquire(client.locks.request(key).withWaitTime(TestClient.PATIENCE))
                    .close();
            assertThat(said.list)
                    .singleElement()
                    .satisfies(warning -> assertThat(warning.getFormattedMessage())
                            .isEqualTo(
                                    "Removing lock/taken/0123456789abcdef-ghost-1, which nobody waits for any more"));
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void aKeyThatIsNoneOfOursIsLeftAlone() {
        try (TestClient client = client();
                HeldLock held = client.locks.acquire(client.locks.request("one"))) {
            long lease = etcd.probe().leases().iterator().next();
            etcd.probe().put("presence", "here", lease);
            EtcdRpcs before = etcd.probe().rpcs();
            await().atMost(TestClient.PATIENCE)
                    .until(() -> etcd.probe().rpcs().since(before).started("LeaseTimeToLive") >= 3);
            assertThat(said.list).isEmpty();
            assertThat(etcd.probe().keys("presence")).hasSize(1);
            assertThat(held.isHeld()).isTrue();
        }
    }
}
