package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a waiter is told whose store leaves it just before its deadline. */
class EtcdLastMomentTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final LockKey KEY = LockKey.of("last-moment");

    /** Whoever waits less than this relies on its watch to the end, and on a server that says nothing. */
    private static final Duration WAIT = Duration.ofSeconds(4);

    private static final EtcdLockOptions OPTIONS = EtcdLockOptions.defaults().withCallTimeout(Duration.ofSeconds(6));

    private FaultProxy proxy;
    private TestClient holder;
    private TestClient waiting;
    private HeldLock held;

    @BeforeEach
    void open() {
        proxy = FaultProxy.to(etcd.server().host(), etcd.server().port());
        holder = TestClient.of(etcd.server().endpoint());
        waiting = TestClient.of(etcd.server().endpoint().withPort(proxy.port()), OPTIONS, Duration.ofMinutes(2));
        held = holder.locks.acquire(holder.locks.request(KEY));
    }

    @AfterEach
    void close() {
        proxy.pass();
        waiting.close();
        holder.close();
        proxy.close();
    }

    private CompletableFuture<HeldLock> parked() {
        var waiter = waiting.locks.acquireAsync(waiting.locks.request(KEY).withWaitTime(WAIT));
        await().atMost(WAIT)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> etcd.probe().watches().watchers() == 3);
        return waiter;
    }

    private void assertUnavailable(CompletableFuture<HeldLock> waiter) {
        assertThat(waiter)
                .failsWithin(TestClient.PATIENCE.plus(WAIT))
                .withThrowableThat()
                .withCauseInstanceOf(LockUnavailableException.class)
                .satisfies(failure -> assertThat(((LockUnavailableException) failure.getCause()).elapsed())
                        .isLessThan(WAIT.plus(OPTIONS.callTimeout()).plusSeconds(10)));
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void ofAFrozenConnectionItKnowsNothing() {
        var waiter = parked();
        proxy.freeze();
        assertUnavailable(waiter);
        proxy.thaw();
        await().atMost(TestClient.PATIENCE).until(() -> holder.waiters(KEY) == 0);
    }

    @Test
    void norOfAConnectionThatIsGone() {
        var waiter = parked();
        proxy.refuse();
        proxy.cut();
        assertUnavailable(waiter);
    }

    /** The connection breaks with what is asked next, and another is made. */
    @Test
    void oneWhoseConnectionIsBackInTimeKnowsThatAnotherHasIt() {
        var waiter = parked();
        proxy.cutBeforeNextRequest();
        assertThat(waiter)
                .failsWithin(TestClient.PATIENCE.plus(WAIT))
                .withThrowableThat()
                .withCauseInstanceOf(LockNotAcquiredException.class);
        assertThat(holder.waiters(KEY)).isZero();
        assertThat(held.isHeld()).isTrue();
    }
}
