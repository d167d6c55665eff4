package io.distlock.engine.several;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** One request for several keys: all of them in one order and under one deadline, or none. */
@EndsInTime
class SeveralKeysTests {

    private static final long VALIDITY = 29_698;

    private final ManualEngine here = new ManualEngine();

    @Test
    void keysAreTakenInOneOrderHoweverTheyAreNamed() {
        HeldLock held = here.client.acquire(keys("c", "a", "b", "a"));
        assertThat(here.events(LockEvent.Acquired.class))
                .extracting(event -> event.key().name())
                .containsExactly("a", "b", "c");
        assertThat(held.keys()).extracting(LockKey::name).containsExactly("a", "b", "c");
        assertThat(held.sequencers()).extracting(each -> each.key().name()).containsExactly("a", "b", "c");
    }

    @Test
    void twoRequestsThatNameTheSameKeysTheOtherWayRoundDoNotBlockEachOther() {
        CompletableFuture<HeldLock> one = here.client.acquireAsync(keys("a", "b"));
        CompletableFuture<HeldLock> two = here.client.acquireAsync(keys("b", "a"));
        one.join().release();
        assertThat(two.join().isHeld()).isTrue();
    }

    @Test
    void aFencingTokenOfSeveralKeysIsNotOneNumber() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(here.client.acquire(keys("a", "b"))::fencingToken);
    }

    @Test
    void oneKeyThatIsRefusedGivesTheOthersBack() {
        here.other.acquire(here.now("b"));
        assertThat(here.client.tryAcquire(keys("a", "b", "c").withWaitTime(Duration.ZERO)))
                .isEmpty();
        here.assertNothingLeft("a");
        assertThat(here.isFree("c")).isTrue();
        assertThat(here.provider.acquires()).isEqualTo(2);
    }

    @Test
    void oneKeyThatFailsGivesTheOthersBack() {
        here.provider.onAcquire(LockKey.of("b"), Fault.ERROR);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> here.client.tryAcquire(keys("a", "b")))
                .satisfies(failure -> assertThat(failure.key()).isEqualTo(LockKey.of("b")));
        here.assertNothingLeft("a");
    }

    @Test
    void whoeverHearsOfARefusalFindsTheOtherKeysGivenBack() {
        here.other.acquire(here.now("b"));
        here.provider.onRelease(Fault.LATE);
        CompletableFuture<Optional<HeldLock>> asked = here.start(keys("a", "b").withWaitTime(Duration.ZERO));
        CompletableFuture<Boolean> nextAttempt =
                asked.thenApply(refused -> here.client.tryAcquire(here.now("a")).isPresent());
        assertThat(asked).isNotDone();
        here.provider.deliver();
        assertThat(asked).isCompletedWithValue(Optional.empty());
        assertThat(nextAttempt).isCompletedWithValue(true);
    }

    @Test
    void aRefusalIsNotHeldUpByAStoreThatDoesNotAnswerTheGivingBack() {
        here.other.acquire(here.now("b"));
        here.provider.onRelease(Fault.SILENCE);
        CompletableFuture<Optional<HeldLock>> asked = here.start(keys("a", "b"));
        here.advanceMillis(6_000);
        assertThat(asked).isCompletedWithValue(Optional.empty());
    }

    @Test
    void allKeysShareOneDeadline() {
        HeldLock first = here.other.acquire(here.now("a"));
        here.other.acquire(here.now("b"));
        CompletableFuture<Optional<HeldLock>> asked = here.start(keys("a", "b"));
        here.advanceMillis(3_000);
        first.release();
        here.advanceMillis(1_999);
        assertThat(asked).isNotDone();
        here.advanceMillis(1);
        assertThat(asked).isCompletedWithValue(Optional.empty());
        here.assertNothingLeft("a");
    }

    @Test
    void cancellingWhileOneIsWaitedForGivesTheOthersBack() {
        here.other.acquire(here.now("b"));
        CompletableFuture<Optional<HeldLock>> asked = here.start(keys("a", "b", "c"));
        asked.cancel(true);
        assertThat(here.waitersAtStore("b")).isZero();
        here.assertNothingLeft("a");
        here.assertNothingLeft("c");
    }

    @Test
    void cancellingWhileAGrantIsUnderWayGivesItBackAndAsksForNoMore() {
        here.provider.onAcquire(LockKey.of("b"), Fault.LATE);
        CompletableFuture<Optional<HeldLock>> asked = here.start(keys("a", "b", "c"));
        asked.cancel(true);
        here.provider.deliver();
        assertThat(here.provider.acquires()).isEqualTo(2);
        here.assertNothingLeft("a");
        here.assertNothingLeft("b");
    }

    @Test
    void aKeyThatIsLostWhileAnotherIsWaitedForMeansNone() {
        HeldLock others = here.other.acquire(here.now("b"));
        CompletableFuture<HeldLock> asked =
                here.client.acquireAsync(keys("a", "b").withWaitTime(Duration.ofMinutes(1)));
        here.deleteByHand("a");
        here.advanceMillis(10_500);
        others.release();
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(asked::join)
                .withCauseInstanceOf(LockUnavailableException.class);
        here.assertNothingLeft("b");
    }

    @Test
    void keysThatAreHeldAreRenewedWhileAnotherIsWaitedFor() {
        HeldLock others = here.other.acquire(here.now("b"));
        CompletableFuture<HeldLock> asked =
                here.client.acquireAsync(keys("a", "b").withWaitTime(Duration.ofMinutes(5)));
        here.ticker.advance(Duration.ofMinutes(4));
        others.release();
        assertThat(asked.join().isHeld()).isTrue();
    }

    @Test
    void theLossOfOneIsTheLossOfAll() {
        HeldLock held = here.client.acquire(keys("a", "b", "c"));
        var lost = held.lost();
        here.provider.onRenew(LockKey.of("b"), Fault.SILENCE);
        here.advanceMillis(VALIDITY);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.remaining()).isZero();
        assertThat(lost)
                .isCompletedWithValueMatching(
                        loss -> loss.key().equals(LockKey.of("b")) && loss.reason() == LockLoss.Reason.EXPIRED);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(held::ensureHeld);
    }

    @Test
    void afterTheLossOfOneTheOthersAreStillGivenBackAndTheReleaseSaysWhatHappened() {
        HeldLock held = here.client.acquire(keys("a", "b", "c"));
        here.deleteByHand("b");
        here.advanceMillis(10_500);
        assertThat(held.release()).isEqualTo(Release.NOT_OWNER);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(held::close)
                .satisfies(lost -> assertThat(lost.key()).isEqualTo(LockKey.of("b")));
        here.assertNothingLeft("a");
        here.assertNothingLeft("c");
    }

    @Test
    void aReleaseThatIsUnknownForOneKeyIsUnknown() {
        HeldLock held = here.client.acquire(keys("a", "b"));
        here.provider.onRelease(LockKey.of("a"), Fault.ERROR);
        assertThat(held.release()).isEqualTo(Release.UNKNOWN);
        assertThat(here.isFree("b")).isTrue();
    }

    @Test
    void aThousandKeysAreTakenAndGivenBack() {
        List<LockKey> many = IntStream.range(0, 1_000)
                .mapToObj(i -> LockKey.of("many", "" + i))
                .toList();
        HeldLock held = here.client.acquire(here.client.request(many));
        assertThat(held.isHeld()).isTrue();
        held.close();
        assertThat(here.provider.acquires()).isEqualTo(1_000);
        assertThat(here.provider.releases()).isEqualTo(1_000);
        assertThat(here.queues()).isZero();
    }

    private LockRequest keys(String... names) {
        return here.client.request(Stream.of(names).map(LockKey::of).toList());
    }
}
