package io.distlock.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.TestClient;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A holder whose connection stands and passes nothing on, while the server serves everybody else. */
class EtcdBlackHoleTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("black-hole");

    /** Another waits, and it has been extended, before it is over, also on a machine that stands still for once. */
    private static final Duration LEASE = Duration.ofSeconds(12);

    private static final Duration LOCK_DELAY = Duration.ofSeconds(3);

    private FaultProxy proxy;
    private TestClient holder;
    private TestClient next;

    /** What happens to the connection. */
    private enum Fault {
        NOTHING_PASSES {
            @Override
            void strike(FaultProxy proxy) {
                proxy.freeze();
            }
        },

        NO_REPLY_PASSES {
            @Override
            void strike(FaultProxy proxy) {
                proxy.dropReplies();
            }
        },

        NO_REQUEST_PASSES {
            @Override
            void strike(FaultProxy proxy) {
                proxy.dropRequests();
            }
        };

        abstract void strike(FaultProxy proxy);
    }

    @BeforeEach
    void open() {
        proxy = FaultProxy.to(etcd.server().host(), etcd.server().port());
        holder = TestClient.of(
                etcd.server().endpoint().withPort(proxy.port()), EtcdLockOptions.defaults(), Duration.ofMinutes(2));
        next = TestClient.of(etcd.server().endpoint());
    }

    @AfterEach
    void close() {
        proxy.pass();
        holder.close();
        next.close();
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource
    void theHolderKnowsBeforeAnotherHasTheLock(Fault fault) {
        HeldLock held = holder.locks.acquire(holder.locks
                .request(KEY)
                .withWaitTime(TestClient.PATIENCE)
                .withLeaseTime(LEASE)
                .withLockDelay(LOCK_DELAY));
        CompletableFuture<Boolean> stillHeld = next.locks
                .acquireAsync(next.locks.request(KEY).withWaitTime(Duration.ofMinutes(2)))
                .thenApply(lock -> held.isHeld());
        await().atMost(TestClient.PATIENCE).until(() -> next.waiters(KEY) == 1);
        LocalEtcd.awaitExtended(() -> next.locks
                .inspect(KEY)
                .orElseThrow()
                .holders()
                .get(0)
                .remaining()
                .orElseThrow());
        assertThat(held.isHeld()).isTrue();
        fault.strike(proxy);
        assertThat(TestClient.get(stillHeld)).isFalse();
        assertThat(TestClient.get(held.lost()).reason()).isEqualTo(LockLoss.Reason.EXPIRED);
    }
}
