package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spi.Moment;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A session of 100 s, less 1 %, on servers with a tick of 2 s. */
class SessionValidityTests {

    private static final Duration TICK = Duration.ofSeconds(2);

    private final ManualTicker ticker = new ManualTicker();
    private final SessionValidity validity = new SessionValidity(ticker, TICK, ticker.now(), Duration.ofSeconds(100));

    private Moment send() {
        return ticker.now();
    }

    private void pass(int seconds) {
        ticker.advance(Duration.ofSeconds(seconds));
    }

    @Test
    void aNewSessionLastsItsTimeLessOnePercent() {
        pass(98);
        assertThat(validity.isOver()).isFalse();
        pass(2);
        assertThat(validity.isOver()).isTrue();
    }

    /** It has touched the follower only, which may be cut off before it tells the leader. */
    @Test
    void anAnswerDoesNotConfirmItsOwnRequest() {
        pass(50);
        validity.answered(send());
        // What is confirmed is the creation, 50 s ago.
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(50));
    }

    @Test
    void aLaterAnswerConfirmsTheRequestBeforeIt() {
        pass(50);
        validity.answered(send());
        pass(10);
        validity.answered(send());
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(10));
    }

    /** No ping of the leader needs to lie between. */
    @Test
    void anAnswerWithinATickConfirmsNothing() {
        pass(50);
        validity.answered(send());
        pass(2);
        validity.answered(send());
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(52));
        // The earlier one still waits to be confirmed, so frequent requests do not keep each other from it.
        pass(1);
        validity.answered(send());
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(3));
    }

    /** It may have passed the leader before the ping that tells of the earlier one. */
    @Test
    void whatIsSentWithinATickOfTheLastAnswerConfirmsNothingHoweverLateItIsAnswered() {
        pass(50);
        Moment first = send();
        pass(1);
        validity.answered(first);
        pass(2);
        // Three seconds after the earlier one was sent, two after it was answered.
        Moment sent = send();
        pass(1);
        validity.answered(sent);
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(54));
    }

    @Test
    void anAnswerThatTookLongerThanATickDoesNotConfirmTheRequestBefore() {
        pass(50);
        validity.answered(send());
        pass(3);
        Moment sent = send();
        pass(3);
        validity.answered(sent);
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(56));
    }

    /** A leader that stood still has pinged nobody. */
    @Test
    void anAnswerThatTookLongerThanATickConfirmsNothing() {
        pass(50);
        validity.answered(send());
        Moment sent = send();
        pass(5);
        validity.answered(sent);
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(55));
        pass(3);
        validity.answered(send());
        // The slow one, which has touched the follower before it was answered.
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(8));
    }

    @Test
    void anAnswerThatTookATickConfirmsTheRequestBefore() {
        pass(50);
        validity.answered(send());
        pass(3);
        Moment sent = send();
        pass(2);
        validity.answered(sent);
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(5));
    }

    /** What was pinged in between is not known, so a tick has to pass after the slow answer. */
    @Test
    void anAnswerWithinATickOfASlowOneConfirmsNothing() {
        pass(50);
        validity.answered(send());
        Moment slow = send();
        pass(5);
        validity.answered(slow);
        pass(1);
        validity.answered(send());
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(56));
    }

    /** The leader has stood still since then: it knows nothing of the request that was answered before. */
    @Test
    void theFirstAnswerAfterSilenceConfirmsNothing() {
        pass(10);
        validity.answered(send());
        pass(10);
        validity.unanswered();
        pass(70);
        validity.answered(send());
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(90));
        pass(3);
        validity.answered(send());
        assertThat(validity.confirmedAgo()).isEqualTo(Duration.ofSeconds(3));
    }

    /** The leader may be about to end it. */
    @Test
    void anAnswerAfterItsTimeConfirmsNothing() {
        pass(10);
        validity.answered(send());
        pass(89);
        Moment sent = send();
        pass(1);
        validity.answered(sent);
        assertThat(validity.isOver()).isTrue();
    }

    @Test
    void aLocksTimeStartsNowWhileTheSessionOutlastsIt() {
        pass(9);
        assertThat(validity.validSince(Duration.ofSeconds(90)).elapsedNanos(ticker))
                .isZero();
        pass(4);
        assertThat(validity.validSince(Duration.ofSeconds(90)).elapsedNanos(ticker))
                .isEqualTo(Duration.ofSeconds(4).toNanos());
    }

    @Test
    void aSessionOutlastsALockWhileThatMuchOfItIsLeft() {
        pass(9);
        assertThat(validity.outlasts(Duration.ofSeconds(90))).isTrue();
        ticker.advance(Duration.ofNanos(1));
        assertThat(validity.outlasts(Duration.ofSeconds(90))).isFalse();
        assertThat(validity.outlasts(Duration.ofSeconds(80))).isTrue();
    }

    @Test
    void theWallClockOfALocksTimeGoesWithItsTicker() {
        Moment created = ticker.now();
        pass(13);
        Moment since = validity.validSince(Duration.ofSeconds(90));
        assertThat(since.wallMillis() - created.wallMillis()).isEqualTo(9_000);
    }

    /** Confirmed every interval, a session of the length that is asked for always outlasts its locks. */
    @Test
    void aSessionThatIsConfirmedInTimeGivesEachLockItsWholeTime() {
        for (int lease : new int[] {1, 10, 30, 600}) {
            Duration timeToLive = Duration.ofSeconds(lease);
            ZooKeeperLockOptions options = ZooKeeperLockOptions.defaults().withTickTime(TICK);
            SessionValidity confirmed = new SessionValidity(ticker, TICK, ticker.now(), options.session(timeToLive));
            for (int round = 0; round < 20; round++) {
                ticker.advance(options.betweenConfirmations(timeToLive));
                assertThat(confirmed.validSince(timeToLive).elapsedNanos(ticker))
                        .as("lease %s, round %s", lease, round)
                        .isZero();
                confirmed.answered(send());
            }
        }
    }
}
