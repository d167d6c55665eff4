package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.Release;
import io.distlock.spi.LockProvider;
import io.distlock.test.provider.Fault;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Giving back: what it answers, what it leaves, and what is done where the answer is unknown. */
@EndsInTime
class ReleaseTests {

    private final ManualEngine here = new ManualEngine();

    @Test
    void aReleasedLockIsFreeAtOnce() {
        HeldLock held = here.hold("a");
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        here.assertNothingLeft("a");
    }

    @Test
    void releasingAgainAnswersTheSameWithoutAskingAgain() {
        HeldLock held = here.hold("a");
        held.release();
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        held.close();
        assertThat(here.provider.releases()).isEqualTo(1);
        assertThat(here.events(LockEvent.Released.class)).hasSize(1);
    }

    @Test
    void whoeverReleasesWhileTheReleaseIsUnderWayWaitsForTheSameAnswer() {
        HeldLock held = here.hold("a");
        here.provider.onRelease(Fault.LATE);
        CompletionStage<Release> first = held.releaseAsync();
        CompletionStage<Release> second = held.releaseAsync();
        assertThat(held.isHeld()).isFalse();
        assertThat(second).isNotCompleted();
        here.provider.deliver();
        assertThat(first).isCompletedWithValue(Release.RELEASED);
        assertThat(second).isCompletedWithValue(Release.RELEASED);
        assertThat(here.provider.releases()).isEqualTo(1);
    }

    @Test
    void theNextInTheQueueIsLetInOnlyOnceTheReleaseIsAnswered() {
        HeldLock held = here.hold("a");
        var next = here.start(here.request("a"));
        here.provider.onRelease(Fault.LATE);
        held.releaseAsync();
        assertThat(here.provider.acquires()).isEqualTo(1);
        here.provider.deliver();
        assertThat(next.join()).isPresent();
    }

    @Test
    void whoeverIsToldOfTheReleaseIsNoLongerInTheQueue() {
        HeldLock held = here.hold("a");
        here.provider.onRelease(Fault.LATE);
        CompletableFuture<Optional<HeldLock>> again = held.releaseAsync()
                .thenCompose(released -> here.client.tryAcquireAsync(here.now("a")))
                .toCompletableFuture();
        here.provider.deliver();
        assertThat(again).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void aMinimumHoldTimeKeepsTheKeyThatLongAfterTheGrantThoughReleasedEarlier() {
        HeldLock held = here.client.acquire(here.now("a").withMinHoldTime(Duration.ofSeconds(10)));
        here.advanceMillis(3_000);
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        here.advanceMillis(6_999);
        assertThat(here.other.tryAcquire(here.now("a"))).isEmpty();
        here.advanceMillis(1);
        assertThat(here.other.tryAcquire(here.now("a"))).isPresent();
    }

    @Test
    void aMinimumHoldTimeThatIsOverKeepsNothing() {
        HeldLock held = here.client.acquire(here.now("a").withMinHoldTime(Duration.ofSeconds(10)));
        here.advanceMillis(10_000);
        held.release();
        here.assertNothingLeft("a");
    }

    @Test
    void aMinimumHoldTimeIsCountedAnewWhenALostReleaseIsMadeAgain() {
        HeldLock held = here.client.acquire(here.now("a").withMinHoldTime(Duration.ofSeconds(20)));
        here.provider.onRelease(Fault.ERROR);
        held.releaseAsync();
        here.advanceMillis(6_000);
        here.provider.onRelease(Fault.NONE);
        here.advanceMillis(13_999);
        assertThat(here.runtime.reaper().pending()).isZero();
        assertThat(here.isFree("a")).isFalse();
        here.advanceMillis(1);
        assertThat(here.isFree("a")).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"ERROR", "THROW", "REPLY_LOST"})
    void aReleaseThatFailsIsUnknownAndThrowsNothing(Fault fault) {
        HeldLock held = here.hold("a");
        here.provider.onRelease(fault);
        assertThat(held.releaseAsync()).isCompletedWithValue(Release.UNKNOWN);
        assertThat(held.isHeld()).isFalse();
        held.close();
        assertThat(here.queues()).isZero();
        assertThat(here.events(LockEvent.Released.class))
                .extracting(LockEvent.Released::outcome)
                .containsExactly(Release.UNKNOWN);
    }

    @Test
    void aReleaseThatIsNotAnsweredIsUnknownAfterOneCall() {
        HeldLock held = here.hold("a");
        here.provider.onRelease(Fault.SILENCE);
        CompletionStage<Release> released = held.releaseAsync();
        here.advanceMillis(999);
        assertThat(released).isNotCompleted();
        here.advanceMillis(1);
        assertThat(released).isCompletedWithValue(Release.UNKNOWN);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"ERROR", "THROW", "SILENCE"})
    void aReleaseThatDidNotArriveIsMadeAgainUntilTheStoreAnswers(Fault fault) {
        HeldLock held = here.hold("a");
        here.provider.onRelease(fault);
        held.releaseAsync();
        here.advanceMillis(10_000);
        assertThat(here.provider.releases()).isGreaterThan(2);
        assertThat(here.isFree("a")).isFalse();
        here.provider.onRelease(Fault.NONE);
        // The longest pause between two tries is 2 s, after a silence of 1 s; then the reaper looks twice more,
        // within 5 s.
        here.advanceMillis(9_000);
        here.assertNothingLeft("a");
    }

    @Test
    void aReleaseWhoseReplyWasLostIsAskedForUntilTheStoreSaysThreeTimesThatNothingIsThere() {
        HeldLock held = here.hold("a");
        here.provider.onRelease(Fault.REPLY_LOST);
        held.releaseAsync();
        assertThat(here.isFree("a")).isTrue();
        // The holder's own, and the reaper's first, which went the same way.
        assertThat(here.provider.releases()).isEqualTo(2);
        here.provider.onRelease(Fault.NONE);
        here.advanceMillis(8_000);
        assertThat(here.provider.releases()).isEqualTo(2 + 3);
        here.assertNothingLeft("a");
    }

    @Test
    void aRepeatedReleaseDoesNotFreeWhatAnotherHasTakenSince() {
        HeldLock held = here.hold("a");
        here.provider.onRelease(Fault.REPLY_LOST);
        held.releaseAsync();
        HeldLock others = here.other.acquire(here.now("a"));
        here.advanceMillis(60_000);
        assertThat(others.release()).isEqualTo(Release.RELEASED);
    }

    @Test
    void aReleaseIsRepeatedForAsLongAsTheMinimumHoldTimeMayKeepTheKey() {
        HeldLock held = here.client.acquire(here.now("a").withMinHoldTime(Duration.ofSeconds(60)));
        here.provider.onRelease(Fault.ERROR);
        held.releaseAsync();
        here.advanceMillis(50_000);
        assertThat(here.runtime.reaper().pending()).isEqualTo(1);
        here.advanceMillis(13_000);
        here.assertNothingLeft("a");
    }

    @Test
    void aReleaseIsNotRepeatedBeyondTheTimeToLive() {
        HeldLock held = here.client.acquire(here.now("a").withLockDelay(Duration.ofSeconds(10)));
        here.provider.onRelease(Fault.ERROR);
        held.releaseAsync();
        here.advanceMillis(39_000);
        assertThat(here.runtime.reaper().pending()).isEqualTo(1);
        here.advanceMillis(3_000);
        here.assertNothingLeft("a");
        int asked = here.provider.releases();
        here.advanceMillis(60_000);
        assertThat(here.provider.releases()).isEqualTo(asked);
    }

    @Test
    void aReleaseThatFindsTheLockGoneIsALoss() {
        HeldLock held = here.hold("a");
        here.deleteByHand("a");
        assertThat(held.release()).isEqualTo(Release.NOT_OWNER);
        assertThat(held.lost()).isCompletedWithValueMatching(loss -> loss.reason() == LockLoss.Reason.NOT_OWNER);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
        here.assertNothingLeft("a");
    }

    /** The key has run out on the way, as far as anybody can tell: the work was over before. */
    @Test
    void anAnswerFromAfterTheEndDoesNotMakeCoveredWorkALoss() {
        HeldLock held = here.client.acquire(here.now("a").withRenew(false));
        assertThat(releaseOfADeletedKey(held, 100)).isCompletedWithValue(Release.UNKNOWN);
        held.close();
        assertThat(here.eventNames()).containsExactly("Acquired", "Released");
        here.assertNothingLeft("a");
    }

    @Test
    void anAnswerFromBeforeTheEndDoesThoughItTookItsTime() {
        HeldLock held = here.client.acquire(here.now("a").withRenew(false));
        assertThat(releaseOfADeletedKey(held, 99)).isCompletedWithValue(Release.NOT_OWNER);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
    }

    /** The store keeps the key for the lock-delay as well: a key that is gone by then was taken away. */
    @Test
    void anAnswerFromTheLockDelayMakesItALoss() {
        HeldLock held = here.client.acquire(here.now("a").withRenew(false).withLockDelay(Duration.ofSeconds(10)));
        assertThat(releaseOfADeletedKey(held, 500)).isCompletedWithValue(Release.NOT_OWNER);
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
    }

    /** The release begins 100 ms before the end of the validity; its answer comes after a time. */
    private CompletionStage<Release> releaseOfADeletedKey(HeldLock held, long answerMillis) {
        here.advanceMillis(29_698 - 100);
        here.deleteByHand("a");
        here.provider.onRelease(Fault.LATE);
        CompletionStage<Release> released = held.releaseAsync();
        here.advanceMillis(answerMillis);
        here.provider.deliver();
        return released;
    }

    @Test
    void anyThreadMayRelease() throws InterruptedException {
        HeldLock held = here.hold("a");
        Thread another = new Thread(held::release);
        another.start();
        another.join();
        here.assertNothingLeft("a");
    }

    /** Otherwise its holder, and whoever waits in the queue, would wait for ever. */
    @Test
    void aProviderThatAnswersNothingLeavesTheOutcomeUnknown() {
        assertUnknown(null);
        assertUnknown(CompletableFuture.completedFuture(null));
    }

    private void assertUnknown(@Nullable Object answer) {
        LockProvider broken = (LockProvider) Proxy.newProxyInstance(
                ReleaseTests.class.getClassLoader(),
                new Class<?>[] {LockProvider.class},
                (proxy, method, args) ->
                        method.getName().equals("release") ? answer : method.invoke(here.provider, args));
        ClientContext context = ManualEngine.context(broken, here.runtime, Runnable::run, () -> {});
        HeldLock held = ManualEngine.client(context).acquire(here.now(String.valueOf(answer)));
        assertThat(held.release()).isEqualTo(Release.UNKNOWN);
        assertThat(held.release()).isEqualTo(Release.UNKNOWN);
        assertThat(context.openWork().drained()).isDone();
        assertThat(context.queues().size()).isZero();
    }
}
