package io.distlock.engine.renewal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What an extension of a lock without renewal gives its holder, and when. */
@EndsInTime
class ExtensionTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    /** Of 30 s and of a minute: less one percent and 2 ms. */
    private static final long VALIDITY = 29_698;

    private static final long MINUTE_VALIDITY = 59_398;

    private final ManualEngine here = new ManualEngine();

    private LockRequest request() {
        return here.now("a").withRenew(false);
    }

    private HeldLock hold() {
        return here.client.acquire(request());
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    @Test
    void anExtensionIsGoodForItsTimeFromNowOn() {
        HeldLock held = hold();
        here.advanceMillis(20_000);
        assertThat(held.extend(MINUTE)).isEqualTo(millis(MINUTE_VALIDITY));
        here.advanceMillis(MINUTE_VALIDITY - 1);
        assertThat(held.isHeld()).isTrue();
        assertThat(here.isFree("a")).isFalse();
        here.advanceMillis(1);
        assertThat(held.isHeld()).isFalse();
    }

    /** The holder may end before its lease does. */
    @Test
    void theStoreKeepsTheKeyForItsMinimumHoldTimeThoughTheLeaseIsShorter() {
        HeldLock held = hold();
        held.extend(MINUTE, MINUTE.multipliedBy(2));
        here.provider.onRelease(Fault.SILENCE);
        here.advanceMillis(119_999);
        assertThat(held.isHeld()).isFalse();
        assertThat(here.isFree("a")).isFalse();
        here.advanceMillis(1);
        assertThat(here.isFree("a")).isTrue();
    }

    @Test
    void itsTokenAndItsKeyStayTheSame() {
        HeldLock held = hold();
        var granted = held.sequencers();
        held.extend(MINUTE);
        assertThat(held.sequencers()).isEqualTo(granted);
        assertThat(here.client.isCurrent(granted.get(0))).isTrue();
    }

    /** The watchdog reports it, nobody has to ask. */
    @Test
    void theLossIsReportedAtItsNewEndAndNotAtTheOldOne() {
        HeldLock held = hold();
        here.advanceMillis(20_000);
        held.extend(MINUTE);
        here.advanceMillis(MINUTE_VALIDITY - 1);
        assertThat(here.eventNames()).containsExactly("Acquired", "Renewed");
        here.advanceMillis(1);
        assertThat(here.eventNames()).containsExactly("Acquired", "Renewed", "Lost");
        assertThat(held.lost().toCompletableFuture().join().reason()).isEqualTo(LockLoss.Reason.EXPIRED);
        assertThat(here.isFree("a")).isTrue();
    }

    @Test
    void itNeverShortensALease() {
        HeldLock held = hold();
        assertThat(held.extend(Duration.ofSeconds(1))).isEqualTo(millis(VALIDITY));
        here.advanceMillis(10_000);
        assertThat(held.remaining()).isEqualTo(millis(VALIDITY - 10_000));
        assertThat(here.isFree("a")).isFalse();
    }

    /** The wall clock went on while the machine was suspended: what was left is less than the monotonic clock tells. */
    @Test
    void afterTheMachineWasSuspendedAShortExtensionStillCounts() {
        HeldLock held = hold();
        here.ticker.stepWallClock(Duration.ofSeconds(20));
        assertThat(held.remaining()).isEqualTo(millis(VALIDITY - 20_000));
        assertThat(held.extend(Duration.ofSeconds(15))).isEqualTo(millis(14_848));
    }

    @Test
    void itEndsWithTheMaximumHoldTime() {
        HeldLock held = here.client.acquire(request().withMaxHoldTime(Duration.ofSeconds(40)));
        here.advanceMillis(10_000);
        assertThat(held.extend(MINUTE)).isEqualTo(millis(VALIDITY));
        assertThat(remainingAtStore()).isEqualTo(Duration.ofSeconds(30));
        here.advanceMillis(20_000);
        assertThat(held.extend(MINUTE)).isEqualTo(millis(9_898));
    }

    @Test
    void pastTheMaximumHoldTimeItGivesNothing() {
        HeldLock held = here.client.acquire(request().withMaxHoldTime(Duration.ofSeconds(10)));
        here.advanceMillis(20_000);
        assertThat(held.extend(MINUTE)).isEqualTo(millis(VALIDITY - 20_000));
    }

    @Test
    void theStoreKeepsItForTheLockDelayToo() {
        HeldLock held = here.client.acquire(request().withLockDelay(Duration.ofSeconds(20)));
        held.extend(MINUTE);
        assertThat(remainingAtStore()).isEqualTo(Duration.ofSeconds(80));
    }

    private Duration remainingAtStore() {
        return here.remainingAtStore("a");
    }

    @Test
    void aLockThatTheWatchdogRenewsIsNotExtended() {
        HeldLock held = here.hold("a");
        assertThatIllegalStateException()
                .isThrownBy(() -> held.extend(MINUTE))
                .withMessage("lock 'a' is renewed automatically: to extend it yourself, request it withRenew(false)");
        assertThat(held.remaining()).isEqualTo(millis(VALIDITY));
    }

    @Test
    void ofALockThatIsLostTheLossIsReportedFirst() {
        HeldLock held = here.hold("a");
        here.deleteByHand("a");
        here.advanceMillis(VALIDITY);
        assertThat(held.isHeld()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> held.extend(MINUTE));
    }

    @Test
    void atTimesOutOfRangeTheStoreIsNotAsked() {
        HeldLock held = hold();
        here.provider.onRenew(Fault.THROW);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> held.extend(Duration.ofDays(2)))
                .withMessageContaining("lease time 48h is out of range");
    }

    @Test
    void aLockThatWasReleasedIsNotExtended() {
        HeldLock held = hold();
        held.release();
        assertThatIllegalStateException().isThrownBy(() -> held.extend(MINUTE)).withMessageContaining("released");
        assertThat(here.isFree("a")).isTrue();
    }

    @Test
    void aLockThatHasExpiredIsNotExtendedThoughTheStoreStillKeepsIt() {
        HeldLock held = here.client.acquire(request().withLockDelay(MINUTE));
        here.advanceMillis(VALIDITY);
        assertThat(here.isFree("a")).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> held.extend(MINUTE));
        assertThat(held.isHeld()).isFalse();
        assertThat(remainingAtStore()).isLessThan(Duration.ofSeconds(61));
    }

    @Test
    void whatTheStoreNoLongerKnowsIsLost() {
        HeldLock held = hold();
        here.deleteByHand("a");
        HeldLock next = here.other.acquire(request());
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> held.extend(MINUTE))
                .satisfies(lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNER));
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
        assertThat(next.remaining()).isEqualTo(millis(VALIDITY));
    }

    @Test
    void aReleaseOfUnknownOutcomeIsFollowedUpForAsLongAsTheExtensionMayLast() {
        HeldLock held = hold();
        held.extend(MINUTE);
        here.provider.onRelease(Fault.SILENCE);
        CompletableFuture<Release> release = held.releaseAsync().toCompletableFuture();
        here.advanceMillis(1_000);
        assertThat(release.join()).isEqualTo(Release.UNKNOWN);
        here.advanceMillis(40_000);
        assertThat(here.runtime.reaper().pending()).isOne();
        here.provider.heal();
        here.advanceMillis(10_000);
        here.assertNothingLeft("a");
    }

    @Test
    void severalKeysAreExtendedTogether() {
        HeldLock held = here.client.acquire(
                here.client.request(List.of(LockKey.of("a"), LockKey.of("b"))).withRenew(false));
        here.advanceMillis(10_000);
        assertThat(held.extend(MINUTE)).isEqualTo(millis(MINUTE_VALIDITY));
        here.deleteByHand("b");
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> held.extend(MINUTE))
                .satisfies(lost -> assertThat(lost.key()).isEqualTo(LockKey.of("b")));
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void itNeverShortensAMinimumHoldTime() {
        HeldLock held = here.client.acquire(request().withMinHoldTime(MINUTE.multipliedBy(2)));
        held.extend(MINUTE, MINUTE.multipliedBy(3));
        held.extend(MINUTE, Duration.ofSeconds(10));
        held.extend(MINUTE);
        held.release();
        here.advanceMillis(179_999);
        assertThat(here.isFree("a")).isFalse();
        here.advanceMillis(1);
        assertThat(here.isFree("a")).isTrue();
    }

    @Test
    void itsMinimumHoldTimeCountsFromTheExtension() {
        HeldLock held = hold();
        here.advanceMillis(20_000);
        held.extend(MINUTE, MINUTE);
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        here.advanceMillis(59_999);
        assertThat(here.isFree("a")).isFalse();
        here.advanceMillis(1);
        assertThat(here.isFree("a")).isTrue();
    }

    @Test
    void anExtensionThatIsNotConfirmedKeepsTheKeyForNoMinimum() {
        HeldLock held = hold();
        here.provider.onRenew(Fault.REPLY_LOST);
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> held.extend(MINUTE, MINUTE));
        held.release();
        assertThat(here.isFree("a")).isTrue();
    }

    /** The longer one may still be what the store goes by. */
    @Test
    void aReleaseOfUnknownOutcomeIsFollowedUpForTheLongestOfSeveralExtensions() {
        HeldLock held = hold();
        held.extend(MINUTE.multipliedBy(5));
        held.extend(MINUTE);
        here.provider.onRelease(Fault.SILENCE);
        held.releaseAsync();
        here.advanceMillis(299_000);
        assertThat(here.runtime.reaper().pending()).isOne();
        here.advanceMillis(10_000);
        here.assertNothingLeft("a");
    }

    @Test
    void aMinimumHoldTimeOutOfRangeIsRefused() {
        HeldLock held = hold();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> held.extend(MINUTE, Duration.ofDays(2)))
                .withMessageContaining("minimum hold time 48h is out of range");
        assertThat(held.remaining()).isEqualTo(millis(VALIDITY));
    }
}
