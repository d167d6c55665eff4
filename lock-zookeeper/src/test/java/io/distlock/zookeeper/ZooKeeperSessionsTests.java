package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.distlock.Release;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

/** What sessions do with what the driver says, which is a mock. The clock is the test's. */
class ZooKeeperSessionsTests {

    private static final ZooKeeperLockOptions OPTIONS = LocalZooKeeper.OPTIONS;
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration SESSION = OPTIONS.session(LEASE);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ManualTicker ticker = new ManualTicker();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final LockRuntime runtime = new LockRuntime(ticker, scheduler);
    private final List<DriverMock> drivers = new ArrayList<>();
    private final List<ZooKeeperSession> told = new ArrayList<>();
    private final ZooKeeperSessions sessions = new ZooKeeperSessions(runtime, OPTIONS, DriverMock.clients(drivers));

    ZooKeeperSessionsTests() {
        sessions.onLoss(told::add);
    }

    @AfterEach
    void close() {
        runtime.close();
    }

    private DriverMock driver() {
        return drivers.get(drivers.size() - 1);
    }

    private ZooKeeperSession entered(Duration timeToLive) {
        CompletableFuture<ZooKeeperSession> entering = sessions.enter(timeToLive, Duration.ofMinutes(1));
        driver().says(KeeperState.SyncConnected);
        return entering.join();
    }

    // --- sessions that are not granted ---

    @Test
    void aSessionThatIsTooShortForItsLocksIsEndedAndForgotten() {
        CompletableFuture<ZooKeeperSession> entering = sessions.enter(LEASE, Duration.ofMinutes(1));
        when(driver().client.getSessionTimeout()).thenReturn(driver().needed - 1);
        driver().says(KeeperState.SyncConnected);
        assertThat(entering).isCompletedExceptionally();
        assertThatThrownBy(entering::join).hasMessageContaining("the servers allow sessions of at most");
        driver().assertEnded();
        ticker.advance(Duration.ofHours(1));
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void whoeverIsNotLetInIsToldSo() {
        CompletableFuture<ZooKeeperSession> entering = sessions.enter(LEASE, Duration.ofMinutes(1));
        driver().says(KeeperState.AuthFailed);
        assertThat(entering).isCompletedExceptionally();
        assertThatThrownBy(entering::join).hasMessageContaining("ZooKeeper denies access");
        driver().assertEnded();
    }

    @Test
    void aSessionThatExpiresBeforeItIsGrantedIsReplaced() {
        CompletableFuture<ZooKeeperSession> entering = sessions.enter(LEASE, Duration.ofMinutes(1));
        DriverMock first = driver();
        first.says(KeeperState.Expired);
        first.assertEnded();
        assertThat(drivers).hasSize(2);
        driver().says(KeeperState.SyncConnected);
        assertThat(entering).isCompletedWithValueMatching(session -> !session.isLost());
    }

    @Test
    void aSessionThatExpiresAfterTheCloseIsNotReplaced() {
        CompletableFuture<ZooKeeperSession> entering = sessions.enter(LEASE, Duration.ofMinutes(1));
        sessions.close(Duration.ofSeconds(1));
        driver().says(KeeperState.Expired);
        assertThat(entering).isCompletedExceptionally();
        assertThat(drivers).hasSize(1);
    }

    @Test
    void aSessionThatIsAskedForAfterTheCloseIsEndedAtOnce() {
        sessions.close(Duration.ofSeconds(1));
        CompletableFuture<ZooKeeperSession> entering = sessions.enter(LEASE, Duration.ofMinutes(1));
        driver().assertEnded();
        ticker.advance(Duration.ofMinutes(1));
        assertThat(entering).isCompletedExceptionally();
    }

    /** Those who wait for it are not counted. */
    @Test
    void aSessionIsNotEndedWhileItConnectsHoweverLongThatTakes() throws InterruptedException {
        CompletableFuture<ZooKeeperSession> entering = sessions.enter(LEASE, Duration.ofMinutes(10));
        ticker.advance(SESSION.multipliedBy(3));
        // What is ended is ended on a thread of its own, one after the other here.
        ZooKeeperSession other = entered(LEASE.multipliedBy(2));
        other.leave();
        DriverMock last = driver();
        last.answers = true;
        ticker.advance(OPTIONS.session(LEASE.multipliedBy(2)).multipliedBy(2));
        last.assertEnded();
        verify(drivers.get(0).client, never()).close();
        assertThat(entering).isNotDone();
    }

    // --- use ---

    @Test
    void aSessionThatIsGrantedTooLateForItsOnlyUserIsEndedLater() {
        CompletableFuture<ZooKeeperSession> entering = sessions.enter(LEASE, Duration.ofMillis(200));
        ticker.advance(Duration.ofMillis(300));
        assertThat(entering).isCompletedExceptionally();
        driver().answers = true;
        driver().says(KeeperState.SyncConnected);
        ticker.advance(SESSION.multipliedBy(2));
        driver().assertEnded();
    }

    @Test
    void aSessionIsIdleOnlyForAsLongAsNobodyHasUsedIt() {
        ZooKeeperSession session = entered(LEASE);
        driver().answers = true;
        ticker.advance(SESSION.multipliedBy(3));
        session.leave();
        ticker.advance(SESSION.minusMillis(1));
        assertThat(session.isIdle()).isFalse();
        ticker.advance(Duration.ofMillis(1));
        assertThat(session.isIdle()).isTrue();
    }

    // --- losses ---

    @Test
    void aSessionThatIsOverByTheClockIsToldOnceAndEnded() {
        ZooKeeperSession session = entered(LEASE);
        ticker.advance(SESSION.multipliedBy(2));
        assertThat(told).containsExactly(session);
        // It may still exist, with nodes ahead of others.
        driver().assertEnded();
    }

    @Test
    void aSessionWhoseUserIsNoLongerLetInIsLost() {
        ZooKeeperSession session = entered(LEASE);
        driver().says(KeeperState.AuthFailed);
        assertThat(session.isLost()).isTrue();
        assertThat(told).containsExactly(session);
    }

    @Test
    void anAnswerThatTheSessionHasExpiredIsALoss() {
        ZooKeeperSession session = entered(LEASE);
        CompletableFuture<Renewal> renewal = session.confirm();
        driver().answer(Code.SESSIONEXPIRED);
        assertThat(renewal).isCompletedWithValue(Renewal.NOT_OWNER);
        assertThat(told).containsExactly(session);
    }

    @Test
    void anAnswerThatComesAfterTheSessionsTimeIsNoRenewal() {
        ZooKeeperSession session = entered(LEASE);
        Duration lasts = SESSION.minus(SESSION.dividedBy(100));
        ticker.advance(lasts.minusMillis(500));
        driver().answer(Code.CONNECTIONLOSS);
        CompletableFuture<Renewal> renewal = session.confirm();
        assertThat(renewal).isNotDone();
        ticker.advance(Duration.ofMillis(501));
        driver().answer(Code.OK);
        assertThat(renewal).isCompletedWithValue(Renewal.NOT_OWNER);
    }

    /** The driver alone would wait for two thirds of the session. */
    @Test
    void aServerThatIsSilentForTheTimeOfACallIsLeft() throws Exception {
        ZooKeeperSession session = entered(LEASE);
        CompletableFuture<Renewal> renewal = session.confirm();
        ticker.advance(OPTIONS.callTimeout().minusMillis(1));
        verify(driver().inside, never()).closeSocket();
        ticker.advance(Duration.ofMillis(1));
        assertThat(renewal).isCompletedWithValue(Renewal.UNKNOWN);
        verify(driver().inside).closeSocket();
    }

    @Test
    void anUnansweredConfirmationIsAskedForAgainSoonAndAnAnsweredOneIsNot() {
        ZooKeeperSession session = entered(LEASE);
        Duration interval = OPTIONS.betweenConfirmations(LEASE);
        assertThat(session.confirm()).isNotDone();
        driver().answer(Code.CONNECTIONLOSS);
        driver().answers = true;
        ticker.advance(interval.dividedBy(3));
        verify(driver().client, times(2)).sync(anyString(), any(VoidCallback.class), any());
        ticker.advance(interval.minusMillis(1));
        verify(driver().client, times(2)).sync(anyString(), any(VoidCallback.class), any());
        ticker.advance(Duration.ofMillis(1));
        verify(driver().client, times(3)).sync(anyString(), any(VoidCallback.class), any());
    }

    // --- releases ---

    /** Whatever version its node has: somebody may have written to it. */
    @Test
    void theAnswerToADeletionSaysWhetherTheLockWasStillHeld() {
        SessionCalls calls = entered(LEASE).calls();
        Map<Code, Release> answers = Map.of(
                Code.OK, Release.RELEASED,
                Code.NONODE, Release.NOT_OWNER,
                Code.SESSIONEXPIRED, Release.NOT_OWNER,
                Code.CONNECTIONLOSS, Release.UNKNOWN);
        answers.forEach((code, release) -> {
            doAnswer(call -> {
                        call.<VoidCallback>getArgument(2).processResult(code.intValue(), "/lock/a", null);
                        return null;
                    })
                    .when(driver().client)
                    .delete(eq("/lock/a"), eq(-1), any(), any());
            assertThat(calls.delete("/lock/a")).as("%s", code).isCompletedWithValue(release);
        });
    }

    // --- the close ---

    @Test
    void theCloseEndsEachUnheldSessionAndLeavesEachHeldOneOnceItsWaitersHaveLeft() throws InterruptedException {
        List<ZooKeeperSession> all = new ArrayList<>();
        for (int each = 1; each <= 4; each++) {
            all.add(entered(LEASE.multipliedBy(each)));
            driver().answers = true;
        }
        all.get(1).hold();
        all.get(3).hold();
        sessions.close(PATIENCE);
        for (DriverMock held : List.of(drivers.get(1), drivers.get(3))) {
            InOrder order = inOrder(held.client, held.inside);
            order.verify(held.client).sync(anyString(), any(VoidCallback.class), any());
            order.verify(held.inside).injectSessionExpiration();
            verify(held.client, never()).close();
        }
        for (DriverMock unheld : List.of(drivers.get(0), drivers.get(2))) {
            verify(unheld.client).close();
            verify(unheld.inside, never()).injectSessionExpiration();
        }
    }

    @Test
    void theCloseReturnsAfterItsSessionsHaveEnded() throws InterruptedException {
        entered(LEASE);
        Thread closing = Thread.currentThread();
        AtomicBoolean ended = new AtomicBoolean();
        doAnswer(call -> {
                    await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
                    ended.set(true);
                    return null;
                })
                .when(driver().client)
                .close();
        sessions.close(PATIENCE);
        assertThat(ended).isTrue();
    }
}
