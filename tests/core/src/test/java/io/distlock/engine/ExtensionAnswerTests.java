package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.throwable;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockLostException;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.spi.Moment;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/** What an answer to an extension does that is late, or lost, or one of several. */
@EndsInTime
class ExtensionAnswerTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    /** Of 30 s and of a minute: less one percent and 2 ms. */
    private static final long VALIDITY = 29_698;

    private static final long MINUTE_VALIDITY = 59_398;

    private final ManualEngine here = new ManualEngine();

    private HeldLock hold() {
        return here.client.acquire(here.now("a").withRenew(false));
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    @Test
    void withoutAnAnswerItIsUnknownAndTheLockStaysHeldForItsTime() {
        HeldLock held = hold();
        here.provider.onRenew(Fault.REPLY_LOST);
        here.advanceMillis(10_000);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> held.extend(MINUTE))
                .withMessageContaining("did not confirm its extension; it is held for another 19698 ms");
        assertThat(held.remaining()).isEqualTo(millis(VALIDITY - 10_000));
        assertThat(here.events(LockEvent.Renewed.class))
                .singleElement()
                .satisfies(event -> assertThat(event.confirmed()).isFalse());
        here.provider.heal();
        assertThat(held.extend(MINUTE)).isEqualTo(millis(MINUTE_VALIDITY));
    }

    @Test
    void aSilentStoreIsWaitedForNoLongerThanOneCall() {
        HeldLock held = hold();
        CompletableFuture<Duration> extension = start(held, MINUTE, Fault.SILENCE);
        here.advanceMillis(999);
        assertThat(extension).isNotDone();
        here.advanceMillis(1);
        assertFailed(extension).isInstanceOf(LockUnavailableException.class);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void itCountsFromWhenItWasSentNotFromWhenItWasAnswered() {
        HeldLock held = hold();
        CompletableFuture<Duration> extension = start(held, MINUTE, Fault.LATE);
        here.advanceMillis(700);
        here.provider.deliver();
        assertThat(extension.join()).isEqualTo(millis(MINUTE_VALIDITY - 700));
    }

    @Test
    void anAnswerAfterTheCallerGaveUpStillCounts() {
        HeldLock held = hold();
        CompletableFuture<Duration> extension = start(held, MINUTE, Fault.LATE);
        here.advanceMillis(1_000);
        assertFailed(extension).isInstanceOf(LockUnavailableException.class);
        here.advanceMillis(4_000);
        here.provider.deliver();
        assertThat(held.remaining()).isEqualTo(millis(MINUTE_VALIDITY - 5_000));
    }

    @Test
    void theLateAnswerToAnOlderOneDoesNotShortenWhatANewerOneGave() {
        HeldLock held = hold();
        CompletableFuture<Duration> older = start(held, MINUTE, Fault.LATE);
        here.advanceMillis(500);
        here.provider.heal();
        held.extend(MINUTE.multipliedBy(2));
        Duration newer = held.remaining();
        here.provider.deliver();
        older.join();
        assertThat(held.remaining()).isEqualTo(newer);
    }

    @Test
    void anAnswerAfterTheEndDoesNotReviveTheLock() {
        HeldLock held = hold();
        here.advanceMillis(VALIDITY - 500);
        CompletableFuture<Duration> extension = start(held, MINUTE, Fault.LATE);
        here.advanceMillis(500);
        here.provider.deliver();
        assertFailed(extension).isInstanceOf(LockLostException.class);
        assertThat(held.isHeld()).isFalse();
        assertThat(here.eventNames()).containsExactly("Acquired", "Lost");
        assertThat(here.isFree("a")).isTrue();
    }

    @Test
    void anAnswerAfterTheReleaseDoesNotReviveTheLock() {
        HeldLock held = hold();
        CompletableFuture<Duration> extension = start(held, MINUTE, Fault.LATE);
        assertThat(held.release()).isEqualTo(Release.RELEASED);
        here.provider.deliver();
        assertFailed(extension).isInstanceOf(IllegalStateException.class).hasMessageContaining("released");
        assertThat(here.eventNames()).containsExactly("Acquired", "Released");
        here.assertNothingLeft("a");
    }

    @Test
    void theStoreIsAskedForAllKeysBeforeItAnswersForOne() {
        assertAskedForAllFirst(here.client.acquire(
                here.client.request(List.of(LockKey.of("a"), LockKey.of("b"))).withRenew(false)));
    }

    /** Of several requests, as the locks of one annotated method may be. */
    @Test
    void soItIsForLocksThatAreListenedTo() {
        here.client.addRequestListener(request -> new LockListener.OfRequest() {});
        HeldLock other = here.client.acquire(here.now("b").withRenew(false));
        assertAskedForAllFirst(CompositeHeldLock.of(List.of(hold(), other)));
    }

    private void assertAskedForAllFirst(HeldLock held) {
        CompletableFuture<Duration> extension = start(held, MINUTE, Fault.LATE);
        for (String key : List.of("a", "b")) {
            ManualEngine.await().until(() -> here.remainingAtStore(key).equals(MINUTE));
        }
        here.provider.deliver();
        assertThat(extension).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(millis(MINUTE_VALIDITY));
    }

    /** Replies arrive late, in any order, or not at all; whatever happens, the holder relies on no more than the store keeps. */
    @Test
    void theStoreKeepsALockForAtLeastAsLongAsItsHolderReliesOnIt() {
        for (int seed = 0; seed < 300; seed++) {
            ManualEngine engine = new ManualEngine();
            Random random = new Random(seed);
            DefaultHeldLock held = (DefaultHeldLock)
                    engine.client.acquire(engine.now("a").withRenew(false).withLeaseTime(Duration.ofSeconds(10)));
            boolean wasHeld = true;
            for (int step = 0; step < 60; step++) {
                switch (random.nextInt(3)) {
                    case 0 -> extend(engine, held, random);
                    case 1 -> engine.advanceMillis(random.nextInt(4_000));
                    default -> engine.provider.deliver();
                }
                Duration relied = held.remaining();
                assertThat(relied.isZero() || wasHeld)
                        .as("revived, seed %s", seed)
                        .isTrue();
                wasHeld = held.isHeld();
                if (wasHeld) {
                    assertThat(engine.remainingAtStore("a")).as("seed %s", seed).isGreaterThan(relied);
                }
            }
        }
    }

    private static void extend(ManualEngine engine, DefaultHeldLock held, Random random) {
        Fault[] faults = {Fault.NONE, Fault.LATE, Fault.LATE, Fault.REPLY_LOST, Fault.SILENCE};
        engine.provider.onRenew(faults[random.nextInt(faults.length)]);
        Duration lease = millis(100 + random.nextInt(20_000));
        Moment sent = engine.ticker.now();
        engine.provider.extend(
                held.lease(),
                lease,
                new LeaseExtension(
                        held, sent, engine.context.validityNanos(lease), Duration.ZERO, new CompletableFuture<>()));
    }

    /** Extends on another thread; returns once the store has been asked. */
    private CompletableFuture<Duration> start(HeldLock held, Duration time, Fault fault) {
        here.provider.onRenew(fault);
        int timers = here.scheduler.pending();
        CompletableFuture<Duration> extension = CompletableFuture.supplyAsync(() -> held.extend(time), task -> {
            Thread thread = new Thread(task, "extends");
            thread.setDaemon(true);
            thread.start();
        });
        // The time limit of its answer.
        ManualEngine.await().until(() -> here.scheduler.pending() > timers);
        return extension;
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertFailed(CompletableFuture<?> extension) {
        assertThat(extension).failsWithin(Duration.ofSeconds(30));
        return assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(extension::join)
                .extracting(Throwable::getCause)
                .asInstanceOf(throwable(Throwable.class));
    }
}
