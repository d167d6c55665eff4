package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who gets which session, and when it is given up. */
class SessionPoolTests {

    private static final Duration TIME = Duration.ofSeconds(60);
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final FakeEtcd etcd = new FakeEtcd();
    private final SessionPool pool =
            new SessionPool(etcd.calls, new QueueTransactions(etcd.calls, etcd.keys), etcd.runtime);

    @AfterEach
    void close() {
        etcd.close();
    }

    private CompletableFuture<Session> entering(Duration leaseTime, Duration minHoldTime) {
        LockOptions options = LockOptions.defaults().withLeaseTime(leaseTime).withMinHoldTime(minHoldTime);
        return pool.enter(
                new LeaseRequest(
                        LockKey.of("pool"), LockMode.EXCLUSIVE, "owner", options, Deadline.in(TIME, etcd.ticker)),
                LIMIT);
    }

    private Session enter(Duration leaseTime) {
        return entering(leaseTime, Duration.ZERO).join();
    }

    @Test
    void locksShareOneForEachNumberOfSecondsAndItIsNotShorterThanTheyAskFor() {
        Session first = enter(TIME);
        assertThat(enter(TIME.minusMillis(999))).isSameAs(first);
        assertThat(enter(TIME.plusMillis(1))).isNotSameAs(first);
        assertThat(etcd.count("grant")).isEqualTo(2);
        assertThat(SessionPool.seconds(TIME.plusMillis(1))).isEqualTo(61);
        assertThat(SessionPool.seconds(TIME)).isEqualTo(60);
    }

    @Test
    void aLongerMinimumHoldTimeHasOneOfItsOwnThatEndsSoonAfter() {
        Session own = entering(TIME, TIME.multipliedBy(2)).join();
        assertThat(own.isShared()).isFalse();
        assertThat(entering(TIME, TIME.multipliedBy(2)).join()).isNotSameAs(own);
        assertThat(enter(TIME.multipliedBy(2)).isShared()).isTrue();
        pool.leave(own);
        etcd.ticker.advance(Session.LINGER.minus(MOMENT));
        assertThat(etcd.leaseIds()).contains(own.id());
        etcd.ticker.advance(MOMENT);
        assertThat(etcd.leaseIds()).doesNotContain(own.id());
    }

    @Test
    void thoseWhoComeWhileItIsGrantedShareItAndCountAsItsUsers() {
        etcd.holdBack();
        CompletableFuture<Session> one = entering(TIME, Duration.ZERO);
        CompletableFuture<Session> other = entering(TIME, Duration.ZERO);
        etcd.answerAll();
        assertThat(one.join()).isSameAs(other.join());
        assertThat(etcd.count("grant")).isEqualTo(1);
        pool.leave(one.join());
        assertThat(one.join().isInUse()).isTrue();
        pool.leave(one.join());
        assertThat(one.join().isInUse()).isFalse();
    }

    @Test
    void oneThatIsGrantedTooLateIsNotLeftInUse() {
        etcd.holdBack();
        CompletableFuture<Session> late = entering(TIME, Duration.ZERO);
        etcd.ticker.advance(LIMIT);
        assertThat(late).isCompletedExceptionally();
        etcd.answerAtOnce();
        etcd.answerAll();
        Session session = enter(TIME);
        assertThat(etcd.count("grant")).isEqualTo(1);
        pool.leave(session);
        assertThat(session.isInUse()).isFalse();
    }

    @Test
    void anotherIsGrantedAfterAFailureAndAfterALoss() {
        etcd.holdBack();
        CompletableFuture<Session> failed = entering(TIME, Duration.ZERO);
        etcd.ticker.advance(FakeEtcd.CALL_TIMEOUT);
        assertThat(failed).isCompletedExceptionally();
        etcd.answerAtOnce();
        Session session = enter(TIME);
        assertThat(enter(TIME)).isSameAs(session);
        session.lost();
        assertThat(enter(TIME)).isNotSameAs(session);
    }

    @Test
    void oneInUseIsKeptAliveAndAnIdleOneIsGivenUpAfterItsTime() {
        Session session = enter(TIME);
        etcd.ticker.advance(TIME.multipliedBy(10));
        assertThat(session.isLost()).isFalse();
        assertThat(etcd.leaseIds()).containsExactly(session.id());
        pool.leave(session);
        etcd.ticker.advance(TIME.minus(MOMENT));
        assertThat(session.isLost()).isFalse();
        assertThat(enter(TIME)).isSameAs(session);
        pool.leave(session);
        // It is looked at every quarter of its time.
        etcd.ticker.advance(TIME.multipliedBy(5).dividedBy(4));
        assertThat(etcd.leaseIds()).isEmpty();
        assertThat(session.isLost()).isTrue();
        assertThat(pool.sinceLoss()).isEmpty();
        assertThat(enter(TIME)).isNotSameAs(session);
    }

    @Test
    void oneThatIsUsedNowAndThenStays() {
        Session session = enter(TIME);
        for (int round = 0; round < 20; round++) {
            pool.leave(session);
            etcd.ticker.advance(TIME.multipliedBy(3).dividedBy(4));
            assertThat(enter(TIME)).isSameAs(session);
        }
    }

    /** Its places would be ahead of others. */
    @Test
    void oneThatIsLostByTheClockIsGivenUpAtTheServerUnlessALockIsHeldOnIt() {
        Session waiting = enter(TIME);
        Session holding = enter(TIME.multipliedBy(2));
        holding.hold();
        etcd.ticker.stepWallClock(TIME.multipliedBy(3));
        etcd.ticker.advance(TIME.dividedBy(2));
        assertThat(etcd.leaseIds()).containsExactly(holding.id());
        assertThat(waiting.isLost() && holding.isLost()).isTrue();
        assertThat(etcd.count("keepAliveOnce")).isZero();
    }

    @Test
    void theLastLossCounts() {
        Session first = enter(TIME);
        Session second = enter(TIME.plusSeconds(1));
        assertThat(pool.sinceLoss()).isEmpty();
        first.lost();
        etcd.ticker.advance(Duration.ofSeconds(3));
        assertThat(pool.sinceLoss()).contains(Duration.ofSeconds(3));
        second.lost();
        assertThat(pool.sinceLoss()).contains(Duration.ZERO);
        first.lost();
        etcd.ticker.advance(Duration.ofSeconds(1));
        assertThat(pool.sinceLoss()).contains(Duration.ofSeconds(1));
    }

    /** Its key is to stay for the rest of a minimum hold time. */
    @Test
    void oneOfALockThatIsKeptRunsOut() {
        Session own = entering(TIME, TIME.multipliedBy(2)).join();
        pool.leaveToRunOut(own);
        etcd.ticker.advance(TIME);
        assertThat(etcd.leaseIds()).containsExactly(own.id());
        etcd.ticker.advance(TIME);
        assertThat(etcd.leaseIds()).isEmpty();
        assertThat(etcd.count("keepAliveOnce")).isZero();
        assertThat(etcd.count("revoke")).isZero();
    }

    @Test
    void aCloseGivesUpAllWithoutALock() {
        Session unheld = enter(TIME);
        Session held = enter(TIME.multipliedBy(2));
        held.hold();
        assertThat(pool.close(LIMIT)).isCompleted();
        assertThat(etcd.leaseIds()).containsExactly(held.id());
        assertThat(unheld.isLost()).isTrue();
        assertThat(held.isLost()).isFalse();
        etcd.ticker.advance(TIME.multipliedBy(2));
        assertThat(etcd.leaseIds()).isEmpty();
    }

    @Test
    void oneThatIsGrantedAfterTheCloseIsGivenUp() {
        etcd.holdBack();
        CompletableFuture<Session> late = entering(TIME, Duration.ZERO);
        pool.close(LIMIT);
        etcd.answerAtOnce();
        etcd.answerAll();
        assertThat(etcd.leaseIds()).isEmpty();
        assertThat(late.join().isLost()).isTrue();
    }

    /** For whoever waits for a lock that was released a moment ago; not for a place that would seem to have left. */
    @Test
    void atACloseTheKeyOfOneThatWasJustLeftStaysForAMoment() {
        Session left = enter(TIME);
        Session inUse = enter(TIME.plusSeconds(1));
        Session unused = enter(TIME.plusSeconds(2));
        pool.leave(unused);
        etcd.ticker.advance(Session.LINGER);
        pool.leave(left);
        for (Session each : List.of(left, inUse, unused)) {
            etcd.put(FakeEtcd.text(etcd.keys.session(each.id())), each.id());
        }
        pool.close(LIMIT);
        assertThat(etcd.places("")).containsExactly(FakeEtcd.text(etcd.keys.session(left.id())));
        etcd.ticker.advance(Session.LINGER);
        assertThat(etcd.places("")).isEmpty();
    }

    @Test
    void aCloseDoesNotWaitForAnAnswerLongerThanItsLimit() {
        Session left = enter(TIME);
        pool.leave(left);
        etcd.holdBack();
        CompletableFuture<Void> closed = pool.close(LIMIT);
        etcd.ticker.advance(LIMIT.dividedBy(2));
        assertThat(closed).isNotDone();
        assertThat(etcd.count("revoke")).isEqualTo(1);
    }

    @Test
    void readySharedOnesAreDescribed() {
        Session session = enter(TIME);
        etcd.ticker.advance(Duration.ofSeconds(20));
        assertThat(pool.describe())
                .containsExactly(Long.toHexString(session.id()) + ": 60 s, 20 s old, extended 5 s ago");
        etcd.holdBack();
        entering(TIME.multipliedBy(2), Duration.ZERO);
        assertThat(pool.describe()).hasSize(1);
    }
}
