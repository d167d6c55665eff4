package io.distlock.engine.several;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.engine.CompositeHeldLock;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks of several requests as one: whichever of them is lost, shared, or released badly. */
@EndsInTime
class CompositeHeldLockTests {

    private static final List<String> NAMES = List.of("a", "b", "c");

    private final ManualEngine here = new ManualEngine();
    private final HeldLock all = CompositeHeldLock.of(
            NAMES.stream().map(name -> hold(here.now(name))).toList());

    private HeldLock hold(LockRequest request) {
        return here.client.acquire(request);
    }

    private void lose(String name) {
        here.deleteByHand(name);
        here.advanceMillis(10_500);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c"})
    void theLossOfAnyOfThemIsReportedAndTheOthersAreReleasedWithoutWaiting(String name) {
        List<LockKey> told = new ArrayList<>();
        all.onLost(loss -> told.add(loss.key()));
        lose(name);
        assertThat(told).containsExactly(LockKey.of(name));
        assertThat(all.isHeld()).isFalse();
        assertThat(all.remaining()).isZero();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(all::ensureHeld);
        assertThat(all.releaseAsync()).isCompletedWithValue(Release.NOT_OWNER);
        NAMES.forEach(here::assertNothingLeft);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c"})
    void closingReleasesAllBeforeItThrowsTheLossOfAnyOfThem(String name) {
        lose(name);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(all::close)
                .satisfies(lost -> assertThat(lost.key()).isEqualTo(LockKey.of(name)));
        NAMES.forEach(here::assertNothingLeft);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c"})
    void anOutcomeThatIsUnknownForAnyOfThemIsUnknown(String name) {
        here.provider.onRelease(LockKey.of(name), Fault.REPLY_LOST);
        assertThat(all.releaseAsync()).isCompletedWithValue(Release.UNKNOWN);
        assertThat(all.release()).isEqualTo(Release.UNKNOWN);
    }

    /** Otherwise it would last for the time of a call for each of them if the store is silent. */
    @Test
    void aReleaseIsAskedForOfEachOfThemBeforeAnyAnswer() throws InterruptedException {
        here.provider.onRelease(Fault.LATE);
        List<Release> released = new ArrayList<>();
        Thread blocked = new Thread(() -> released.add(all.release()));
        blocked.start();
        ManualEngine.await().until(() -> here.provider.releases() == NAMES.size());
        here.provider.deliver();
        blocked.join();
        assertThat(released).containsExactly(Release.RELEASED);
    }

    @Test
    void aLossIsWorseThanAnUnknownOutcomeInEitherOrder() {
        here.provider.onRelease(LockKey.of("a"), Fault.REPLY_LOST);
        here.provider.onRelease(LockKey.of("c"), Fault.REPLY_LOST);
        here.deleteByHand("b");
        assertThat(all.release()).isEqualTo(Release.NOT_OWNER);
    }

    @Test
    void itIsValidForTheShortestTime() {
        HeldLock shorter = hold(here.now("d").withLeaseTime(Duration.ofSeconds(10)));
        HeldLock both = CompositeHeldLock.of(List.of(hold(here.now("e")), shorter, all));
        assertThat(both.remaining()).isEqualTo(shorter.remaining());
    }

    @Test
    void oneThatIsSharedMakesAllShared() {
        assertThat(all.mode()).isEqualTo(LockMode.EXCLUSIVE);
        HeldLock shared = hold(here.now("d").withMode(LockMode.SHARED));
        assertThat(CompositeHeldLock.of(List.of(all, shared)).mode()).isEqualTo(LockMode.SHARED);
        assertThat(CompositeHeldLock.of(List.of(shared, all)).mode()).isEqualTo(LockMode.SHARED);
    }

    @Test
    void itsGrantsAreInTheOrderOfTheirKeysAndEachOnce() {
        HeldLock twice = CompositeHeldLock.of(List.of(hold(here.now("d")), all, all));
        assertThat(twice.sequencers())
                .extracting(Sequencer::key)
                .extracting(LockKey::name)
                .containsExactly("a", "b", "c", "d");
        assertThat(twice.keys()).hasSize(4);
    }

    /** Two stores that have counted alike. A fence, or a receiver, must see both. */
    @Test
    void equalGrantsOfTwoProvidersAreTwo() {
        ManualEngine one = new ManualEngine();
        ManualEngine another = new ManualEngine();
        HeldLock both = CompositeHeldLock.of(
                List.of(one.client.acquire(one.now("d")), another.client.acquire(another.now("d"))));
        assertThat(both.keys()).containsExactly(LockKey.of("d"));
        assertThat(both.sequencers()).hasSize(2);
        assertThat(both.sequencers().get(0)).isEqualTo(both.sequencers().get(1));
        assertThatIllegalStateException().isThrownBy(both::fencingToken);
    }

    @Test
    void ofNoLocksThereIsNone() {
        assertThatIllegalArgumentException().isThrownBy(() -> CompositeHeldLock.of(List.of()));
    }
}
