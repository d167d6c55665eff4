package io.distlock.engine.question;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A lock that is taken away from its holder. */
@EndsInTime
class ForceReleaseTests {

    private static final LockKey KEY = LockKey.of("a");

    private final ManualEngine here = new ManualEngine();

    @Test
    void aHolderInTheSameClientKnowsBeforeTheStoreLetsTheNextOneIn() {
        HeldLock held = here.hold("a");
        CompletableFuture<HeldLock> next = here.other.acquireAsync(here.request("a"));
        next.thenAccept(taken -> assertThat(held.isHeld()).isFalse());
        assertThat(here.client.forceRelease(KEY, held.fencingToken())).isEqualTo(Release.RELEASED);
        assertThat(next).isCompleted();
        assertThat(here.events(LockEvent.Lost.class))
                .singleElement()
                .satisfies(lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNER));
        assertThat(held.release()).isEqualTo(Release.NOT_OWNER);
    }

    @Test
    void aHolderElsewhereLearnsOfItWithItsNextRenewal() {
        HeldLock held = here.hold("a");
        here.other.forceRelease(KEY, held.fencingToken());
        assertThat(here.isFree("a")).isTrue();
        assertThat(held.isHeld()).isTrue();
        here.advanceMillis(10_500);
        assertThat(held.isHeld()).isFalse();
    }

    /** Some stores have to be asked twice. */
    @Test
    void anAnswerThatTakesTwoCallsIsWaitedFor() {
        HeldLock held = here.hold("a");
        here.provider.onForceRelease(Fault.LATE);
        AtomicReference<Release> answer = new AtomicReference<>();
        LockClient elsewhere = ManualEngine.client(here.provider, here.runtime);
        Thread asking = new Thread(() -> answer.set(elsewhere.forceRelease(KEY, held.fencingToken())));
        asking.start();
        ManualEngine.await().until(() -> asking.getState() == Thread.State.WAITING);
        here.advanceMillis(1_900);
        here.provider.deliver();
        ManualEngine.await().until(() -> !asking.isAlive());
        assertThat(answer).hasValue(Release.RELEASED);
    }

    /** Its own release is repeated until the store answers. */
    @Test
    void aHolderInTheSameClientDoesNotKeepOthersOutIfTheStoreIsSilent() {
        HeldLock held = here.hold("a");
        here.provider.onForceRelease(Fault.ERROR);
        here.provider.onRelease(Fault.ERROR);
        assertThatThrownBy(() -> here.client.forceRelease(KEY, held.fencingToken()))
                .isInstanceOf(LockUnavailableException.class);
        assertThat(held.isHeld()).isFalse();
        here.provider.heal();
        here.advanceMillis(1_000);
        assertThat(here.isFree("a")).isTrue();
    }

    @Test
    void toReleaseALockOfTheSameClientTheProviderNeedNotBeAbleToForceIt() {
        HeldLock held = here.client.acquire(here.now("a").withMinHoldTime(Duration.ofSeconds(10)));
        here.provider.onForceRelease(Fault.THROW);
        assertThat(here.client.forceRelease(KEY, held.fencingToken())).isEqualTo(Release.RELEASED);
        assertThat(held.isHeld()).isFalse();
        assertThat(here.isFree("a")).isTrue();
    }

    @Test
    void byAnEarlierTokenTheLockIsNotTakenAway() {
        FencingToken earlier = here.hold("a").fencingToken();
        here.deleteByHand("a");
        here.advanceMillis(30_000);
        HeldLock held = here.hold("a");
        assertThat(here.client.forceRelease(KEY, earlier)).isEqualTo(Release.NOT_OWNER);
        assertThat(held.isHeld()).isTrue();
    }
}
