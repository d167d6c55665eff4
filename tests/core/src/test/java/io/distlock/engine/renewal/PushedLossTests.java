package io.distlock.engine.renewal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.Release;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A provider that notices the loss of a lease tells of it, and does not wait for the next renewal. */
@EndsInTime
class PushedLossTests {

    private final ManualEngine here = new ManualEngine();
    private final List<Runnable> watched = new ArrayList<>();

    @BeforeEach
    void watch() {
        here.provider.onLossWatched(watched::add);
    }

    private void push() {
        List.copyOf(watched).forEach(Runnable::run);
    }

    @Test
    void theLockIsLostAtOnceAndForGoodAndEverybodyIsTold() {
        HeldLock held = here.hold("a");
        List<LockLoss.Reason> told = new ArrayList<>();
        held.onLost(loss -> told.add(loss.reason()));
        push();
        assertThat(held.isHeld()).isFalse();
        assertThat(held.remaining()).isZero();
        assertThat(told).containsExactly(LockLoss.Reason.NOT_OWNER);
        assertThat(held.lost()).isCompletedWithValueMatching(loss -> loss.reason() == LockLoss.Reason.NOT_OWNER);
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
        assertThat(held.release()).isEqualTo(Release.NOT_OWNER);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
    }

    @Test
    void toldTwiceItIsLostOnce() {
        HeldLock held = here.hold("a");
        List<LockLoss.Reason> told = new ArrayList<>();
        held.onLost(loss -> told.add(loss.reason()));
        push();
        push();
        assertThat(told).hasSize(1);
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
    }

    @Test
    void nothingIsRenewedOrDeletedAfterwardsAndARenewalThatIsUnderWayRevivesNothing() {
        HeldLock held = here.hold("a");
        here.provider.onRenew(Fault.LATE);
        here.advanceUntil(() -> here.provider.renewals() == 1, Duration.ofSeconds(30));
        push();
        here.provider.deliver();
        here.ticker.advance(Duration.ofMinutes(5));
        assertThat(held.isHeld()).isFalse();
        assertThat(here.provider.renewals()).isEqualTo(1);
        assertThat(here.provider.releases()).isZero();
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
    }

    @Test
    void whoeverWaitsHereGoesOnToTheStore() {
        here.hold("a");
        var next = here.start(here.request("a"));
        here.deleteByHand("a");
        push();
        assertThat(next.join()).isPresent();
    }

    @Test
    void oneOfSeveralKeysIsTheLossOfTheWhole() {
        HeldLock held = here.client.acquire(
                here.client.request(List.of(LockKey.of("a"), LockKey.of("b"))).withWaitTime(Duration.ZERO));
        watched.get(1).run();
        assertThat(held.isHeld()).isFalse();
        assertThat(held.lost()).isCompletedWithValueMatching(loss -> loss.key().equals(LockKey.of("b")));
    }

    /** Its own delete, as a watch sees it. */
    @Test
    void duringTheReleaseItIsNoLoss() {
        HeldLock held = here.hold("a");
        here.provider.onRelease(Fault.LATE);
        var released = held.releaseAsync();
        push();
        here.provider.deliver();
        assertThat(released).isCompletedWithValue(Release.RELEASED);
        push();
        held.close();
        assertThat(here.eventNames()).containsExactly("Acquired", "Released");
        here.assertNothingLeft("a");
    }

    @Test
    void aLeaseThatIsGoneAlreadyWhenTheProviderIsAskedIsLost() {
        here.provider.onLossWatched(Runnable::run);
        HeldLock held = here.hold("a");
        assertThat(held.isHeld()).isFalse();
        assertThat(held.lost()).isCompleted();
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
        assertThat(here.watched()).isZero();
        assertThat(here.queues()).isZero();
        assertThat(here.client.waiting()).isEmpty();
    }

    @Test
    void aLeaseThatIsGoneForACallerThatHasGivenUpLeavesNothing() {
        here.provider.onAcquire(Fault.LATE);
        var asked = here.client.acquireAsync(here.request("a"));
        asked.cancel(true);
        here.provider.onLossWatched(Runnable::run);
        here.deleteByHand("a");
        here.provider.deliver();
        here.assertNothingLeft("a");
        assertThat(here.events(LockEvent.Released.class)).isEmpty();
    }

    @Test
    void aProviderThatThrowsHarmsNobody() {
        here.provider.onLossWatched(lost -> {
            throw new IllegalStateException("watching fails on purpose");
        });
        var asked = here.start(here.now("a"));
        assertThat(asked).isDone();
        HeldLock held = asked.join().orElseThrow();
        var next = here.start(here.request("a"));
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        assertThat(next.join().orElseThrow().release()).isEqualTo(Release.RELEASED);
        here.assertNothingLeft("a");
    }
}
