package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spi.Renewal;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** For how long a session is believed in, and what is known of it, whatever the order of the answers. */
class SessionTests {

    private static final Duration TIME = Duration.ofSeconds(60);
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final FakeEtcd etcd = new FakeEtcd();
    private final AtomicInteger losses = new AtomicInteger();
    private final Session session = session(true);

    @AfterEach
    void close() {
        etcd.close();
    }

    private Session session(boolean shared) {
        LeaseGrantResponse lease = etcd.calls.grant(TIME.toSeconds()).join();
        return new Session(etcd.calls, etcd.ticker, lease, shared, etcd.ticker.now(), losses::incrementAndGet);
    }

    private Duration validFor(Duration timeToLive) {
        return Duration.ofNanos(session.validSince(timeToLive).elapsedNanos(etcd.ticker));
    }

    @Test
    void itIsLostOnceItWasNotExtendedForItsWholeTime() {
        etcd.ticker.advance(TIME);
        assertThat(session.isLost()).isFalse();
        etcd.ticker.advance(MOMENT);
        assertThat(session.isLost()).isTrue();
        assertThat(session.isLost()).isTrue();
        assertThat(losses).hasValue(1);
    }

    @Test
    void aKeepaliveThatIsAnsweredAfterItWasSeenLostDoesNotReviveIt() {
        etcd.ticker.advance(TIME.minus(MOMENT));
        etcd.holdBack();
        CompletableFuture<Renewal> late = session.keepAlive();
        etcd.pending.get(0).carryOut();
        etcd.ticker.advance(MOMENT.multipliedBy(2));
        assertThat(session.isLost()).isTrue();
        etcd.answerAll();
        assertThat(late).isCompletedWithValue(Renewal.NOT_OWNER);
        assertThat(session.isLost()).isTrue();
        assertThat(losses).hasValue(1);
        assertThat(session.keepAlive()).isCompletedWithValue(Renewal.NOT_OWNER);
    }

    @Test
    void anExtensionCountsFromWhenItWasAskedFor() {
        etcd.ticker.advance(Duration.ofSeconds(20));
        etcd.holdBack();
        CompletableFuture<Renewal> extended = session.keepAlive();
        etcd.ticker.advance(Duration.ofSeconds(5));
        etcd.answerAll();
        assertThat(extended).isCompletedWithValue(Renewal.RENEWED);
        assertThat(validFor(TIME)).isEqualTo(Duration.ofSeconds(5));
        etcd.ticker.advance(TIME.minusSeconds(5));
        assertThat(session.isLost()).isFalse();
        etcd.ticker.advance(MOMENT);
        assertThat(session.isLost()).isTrue();
    }

    /** The monotonic clock may have stood still meanwhile. */
    @Test
    void aMachineThatWasSuspendedHasLostIt() {
        etcd.ticker.stepWallClock(TIME.plus(MOMENT));
        assertThat(session.isLost()).isTrue();
    }

    @Test
    void aShorterTimeStartsAsLateAsPossibleByBothClocks() {
        Duration half = TIME.dividedBy(2);
        etcd.ticker.advance(half);
        assertThat(validFor(half)).isZero();
        etcd.ticker.advance(Duration.ofSeconds(10));
        assertThat(validFor(half)).isEqualTo(Duration.ofSeconds(10));
        assertThat(validFor(TIME)).isEqualTo(Duration.ofSeconds(40));
        var since = session.validSince(half);
        etcd.ticker.stepWallClock(Duration.ofSeconds(7));
        assertThat(Duration.ofNanos(since.elapsedNanos(etcd.ticker))).isEqualTo(Duration.ofSeconds(17));
        assertThat(validFor(half)).isEqualTo(Duration.ofSeconds(17));
    }

    @Test
    void callersShareAKeepaliveThatIsUnderWayUnlessItHasToBeginLater() {
        etcd.holdBack();
        CompletableFuture<Renewal> first = session.keepAlive();
        CompletableFuture<Renewal> second = session.keepAlive();
        CompletableFuture<Renewal> later = session.keepAliveFromNow();
        assertThat(etcd.count("keepAliveOnce")).isEqualTo(1);
        etcd.pending.remove(0).answer();
        assertThat(first).isCompletedWithValue(Renewal.RENEWED);
        assertThat(second).isCompletedWithValue(Renewal.RENEWED);
        assertThat(later).isNotDone();
        assertThat(etcd.count("keepAliveOnce")).isEqualTo(2);
        etcd.answerAll();
        assertThat(later).isCompletedWithValue(Renewal.RENEWED);
        session.keepAliveFromNow();
        assertThat(etcd.count("keepAliveOnce")).isEqualTo(3);
    }

    @Test
    void aKeepaliveWithoutAnAnswerIsUnknownAfterASixthOfTheTimeAndTheNextOneIsSent() {
        etcd.holdBack();
        CompletableFuture<Renewal> unanswered = session.keepAlive();
        etcd.ticker.advance(TIME.dividedBy(6).minus(MOMENT));
        assertThat(unanswered).isNotDone();
        etcd.ticker.advance(MOMENT);
        assertThat(unanswered).isCompletedWithValue(Renewal.UNKNOWN);
        assertThat(session.isLost()).isFalse();
        session.keepAlive();
        assertThat(etcd.count("keepAliveOnce")).isEqualTo(2);
    }

    @Test
    void aKeepaliveThatFindsNoLeaseSaysThatItIsLost() {
        etcd.revoke(session.id());
        assertThat(session.keepAlive()).isCompletedWithValue(Renewal.NOT_OWNER);
        assertThat(session.isLost()).isTrue();
        assertThat(losses).hasValue(1);
    }

    @Test
    void oneThatWasGivenUpIsLostButNoLoss() {
        session.giveUp();
        assertThat(session.isLost()).isTrue();
        assertThat(losses).hasValue(0);
        assertThat(session.keepAlive()).isCompletedWithValue(Renewal.NOT_OWNER);
    }

    @Test
    void itIsExtendedAfterAQuarterOfItsTimeAndNotAgainWithinATwentieth() {
        long begun = etcd.ticker.nanos();
        assertThat(session.dueNanos() - begun).isEqualTo(TIME.dividedBy(4).toNanos());
        etcd.ticker.advance(TIME.dividedBy(4));
        etcd.holdBack();
        session.keepAlive();
        assertThat(session.dueNanos() - begun)
                .isEqualTo(TIME.dividedBy(4).plus(TIME.dividedBy(20)).toNanos());
        etcd.answerAll();
        assertThat(session.dueNanos() - begun).isEqualTo(TIME.dividedBy(2).toNanos());
    }

    @Test
    void aSharedOneIsIdleAfterItsTimeAndAnotherAfterTwoSeconds() {
        Session own = session(false);
        session.use();
        own.use();
        etcd.ticker.advance(TIME.dividedBy(2));
        assertThat(session.isIdle() || own.isIdle()).isFalse();
        session.leave();
        own.leave();
        assertThat(own.dueNanos() - etcd.ticker.nanos()).isEqualTo(Session.LINGER.toNanos());
        assertThat(own.isIdle()).isFalse();
        etcd.ticker.advance(Session.LINGER);
        assertThat(own.isIdle()).isTrue();
        etcd.ticker.advance(TIME.minus(Session.LINGER).minus(MOMENT));
        assertThat(session.isIdle()).isFalse();
        etcd.ticker.advance(MOMENT);
        assertThat(session.isIdle()).isTrue();
        session.use();
        assertThat(session.isIdle()).isFalse();
    }

    @Test
    void itIsHeldUntilItsLastLockIsLetGo() {
        session.hold();
        session.hold();
        session.letGo();
        assertThat(session.isHeld()).isTrue();
        session.letGo();
        assertThat(session.isHeld()).isFalse();
    }

    @Test
    void aLateAnswerDoesNotSetTheEpochBack() {
        session.epoch(0, 5);
        session.epoch(5, 9);
        session.epoch(5, 7);
        assertThat(session.epoch()).isEqualTo(9);
        session.epoch(9, 9);
        assertThat(session.epoch()).isEqualTo(9);
        assertThat(session.isLost()).isFalse();
    }

    @Test
    void aKeyThatIsGoneIsToBeCreatedAnew() {
        session.epoch(0, 5);
        session.epoch(5, 0);
        assertThat(session.epoch()).isZero();
        assertThat(session.isLost()).isFalse();
    }

    /** The store was restored from a snapshot. */
    @Test
    void anAnswerThatIsOlderThanItsRequestMeansThatItIsLost() {
        session.epoch(0, 5);
        session.epoch(5, 4);
        assertThat(session.isLost()).isTrue();
        assertThat(losses).hasValue(1);
        assertThat(session.epoch()).isEqualTo(5);
    }
}
