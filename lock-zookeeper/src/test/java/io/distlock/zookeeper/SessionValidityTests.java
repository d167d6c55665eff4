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
