package io.distlock.etcd.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.etcd.LocalEtcd;
import io.distlock.etcd.ManualTimeProvider;
import io.distlock.etcd.TestClient;
import io.distlock.spi.Grant;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.fault.FaultProxy;
import java.time.Duration;
import java.util.Optional;
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

    private static final Duration UNWATCHED = Duration.ofMillis(250);

    private FaultProxy proxy;
    private TestClient holder;
    private ManualTimeProvider waiting;
    private HeldLock held;

    @BeforeEach
    void open() {
        proxy = FaultProxy.to(etcd.server().host(), etcd.server().port());
        holder = TestClient.of(etcd.server().endpoint());
        waiting = new ManualTimeProvider(etcd.server().endpoint().withPort(proxy.port()));
        held = holder.locks.acquire(holder.locks.request(KEY));
    }

    @AfterEach
    void close() {
        proxy.pass();
        waiting.close();
        holder.close();
        proxy.close();
    }

    private CompletableFuture<Optional<Grant>> parked() {
        var waiter =
                waiting.parked(KEY, LockOptions.defaults().withWaitTime(WAIT).withLeaseTime(Duration.ofMinutes(2)));
        waiting.awaitPutOff();
        // From then on it watches its own place as well: it looks, and again once that watch stands.
        int before = waiting.refusals();
        waiting.advance(UNWATCHED);
        waiting.awaitRefusals(before + 2);
        waiting.awaitPutOff();
        return waiter;
    }

    private void awaitEnd(CompletableFuture<Optional<Grant>> waiter, Duration step) {
        waiting.advance(WAIT);
        waiting.await(() -> {
            waiting.advance(step);
            return waiter.isDone();
        });
    }

    private void assertUnavailable(CompletableFuture<Optional<Grant>> waiter) {
        awaitEnd(waiter, Duration.ofSeconds(1));
        assertThat(waiter)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(LockUnavailableException.class)
                .satisfies(failure -> assertThat(((LockUnavailableException) failure.getCause()).elapsed())
                        .isBetween(WAIT, WAIT.plus(LocalEtcd.PATIENT.callTimeout())));
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
        // Slow enough for another connection.
        awaitEnd(waiter, Duration.ofMillis(50));
        assertThat(waiter).isCompletedWithValue(Optional.empty());
        assertThat(holder.waiters(KEY)).isZero();
        assertThat(held.isHeld()).isTrue();
    }
}
