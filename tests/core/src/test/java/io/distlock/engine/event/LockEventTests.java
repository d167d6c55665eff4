package io.distlock.engine.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What listeners are told, in which order, and with which figures. */
@EndsInTime
class LockEventTests {

    private static final String PROVIDER = "in-memory";
    private static final LockKey KEY = LockKey.of("a");

    private final ManualEngine here = new ManualEngine();

    @Test
    void aLockThatIsHeldAndReleased() {
        HeldLock held = here.client.acquire(here.now("a").withMode(LockMode.SHARED));
        here.advanceMillis(3_000);
        held.release();
        assertThat(here.events)
                .containsExactly(
                        new LockEvent.Acquired(PROVIDER, KEY, LockMode.SHARED, held.fencingToken(), Duration.ZERO),
                        new LockEvent.Released(
                                PROVIDER,
                                KEY,
                                LockMode.SHARED,
                                held.fencingToken(),
                                Duration.ofSeconds(3),
                                Release.RELEASED));
    }

    /** By another thread, for instance. */
    @Test
    void aLockThatIsTakenAwayWhileTheFirstListenerHearsOfItsGrant() {
        List<Class<?>> heard = new ArrayList<>();
        here.client.addListener(event -> {
            if (event instanceof LockEvent.Acquired acquired) {
                here.client.forceRelease(KEY, acquired.token());
            }
        });
        here.client.addListener(event -> heard.add(event.getClass()));
        HeldLock held = here.hold("a");
        here.advanceUntil(() -> !held.isHeld(), Duration.ofSeconds(30));
        assertThat(heard).containsExactly(LockEvent.Acquired.class, LockEvent.Lost.class);
    }

    @Test
    void aLockThatIsWaitedFor() {
        HeldLock others = here.other.acquire(here.now("a"));
        CompletableFuture<HeldLock> asked = here.client.acquireAsync(here.request("a"));
        here.advanceMillis(2_000);
        others.release();
        assertThat(here.events)
                .containsExactly(new LockEvent.Acquired(
                        PROVIDER, KEY, LockMode.EXCLUSIVE, asked.join().fencingToken(), Duration.ofSeconds(2)));
    }

    @Test
    void aLockThatIsWaitedForInVain() {
        here.other.acquire(here.now("a"));
        here.start(here.request("a"));
        here.advanceMillis(5_000);
        assertThat(here.events)
                .containsExactly(new LockEvent.NotAcquired(PROVIDER, KEY, LockMode.EXCLUSIVE, Duration.ofSeconds(5)));
    }

    @Test
    void aLockThatIsRefusedInTheQueue() {
        here.hold("a");
        here.events.clear();
        here.start(here.now("a"));
        assertThat(here.events)
                .containsExactly(new LockEvent.NotAcquired(PROVIDER, KEY, LockMode.EXCLUSIVE, Duration.ZERO));
    }

    @Test
    void aLockThatIsWaitedForInTheQueueInVain() {
        here.hold("a");
        here.events.clear();
        here.start(here.request("a"));
        here.advanceMillis(5_000);
        assertThat(here.events)
                .containsExactly(new LockEvent.NotAcquired(PROVIDER, KEY, LockMode.EXCLUSIVE, Duration.ofSeconds(5)));
    }

    @Test
    void aStoreThatFails() {
        here.provider.onAcquire(Fault.ERROR);
        here.start(here.now("a"));
        assertThat(here.events(LockEvent.Failed.class))
                .singleElement()
                .satisfies(failed -> assertThat(failed.cause()).isInstanceOf(LockUnavailableException.class));
        assertThat(here.events).hasSize(1);
    }

    @Test
    void aWaitThatIsCancelled() {
        here.other.acquire(here.now("a"));
        CompletableFuture<HeldLock> asked = here.client.acquireAsync(here.request("a"));
        here.advanceMillis(1_000);
        asked.cancel(true);
        assertThat(here.events(LockEvent.Failed.class))
                .singleElement()
                .satisfies(failed -> assertThat(failed.cause()).isInstanceOf(CancellationException.class))
                .satisfies(failed -> assertThat(failed.waited()).isEqualTo(Duration.ofSeconds(1)));
        assertThat(here.events).hasSize(1);
    }

    @Test
    void aLockThatIsRenewedAndThenLost() {
        HeldLock held = here.hold("a");
        here.advanceMillis(10_500);
        here.deleteByHand("a");
        here.advanceMillis(10_500);
        held.release();
        assertThat(here.eventNames()).containsExactly("Acquired", "Renewed", "Lost");
        assertThat(here.events(LockEvent.Renewed.class))
                .containsExactly(new LockEvent.Renewed(PROVIDER, KEY, LockMode.EXCLUSIVE, held.fencingToken(), true));
        LockEvent.Lost lost = here.events(LockEvent.Lost.class).get(0);
        assertThat(lost.provider()).isEqualTo(PROVIDER);
        assertThat(lost.key()).isEqualTo(KEY);
        assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNER);
        assertThat(lost.loss().token()).isEqualTo(held.fencingToken());
        assertThat(lost.loss().heldFor()).isBetween(Duration.ofSeconds(19), Duration.ofSeconds(21));
    }

    @Test
    void aGrantIsToldBeforeItsReleaseHoweverSoonThatComes() {
        HeldLock others = here.other.acquire(here.now("a"));
        here.start(here.request("a")).thenAccept(held -> held.ifPresent(HeldLock::release));
        others.release();
        assertThat(here.eventNames()).containsExactly("Acquired", "Released");
    }

    @Test
    void severalKeysAreToldOfOneByOne() {
        here.client
                .acquire(here.client.request(List.of(LockKey.of("b"), LockKey.of("a"))))
                .release();
        assertThat(here.events(LockEvent.Acquired.class))
                .extracting(event -> event.key().name())
                .containsExactly("a", "b");
        assertThat(here.events(LockEvent.Released.class)).hasSize(2);
    }

    @Test
    void aListenerThatThrowsHarmsNeitherTheLockNorTheNextListener() {
        ManualEngine fresh = new ManualEngine();
        fresh.client.addListener(event -> {
            throw new AssertionError("listener fails on purpose");
        });
        fresh.client.addListener(event -> throwAsInKotlin(new IOException("listener fails on purpose")));
        fresh.client.addListener(here.events::add);
        assertThatCode(() -> fresh.hold("a").close()).doesNotThrowAnyException();
        fresh.other.acquire(fresh.now("b"));
        assertThat(fresh.client.tryAcquire(fresh.now("b"))).isEmpty();
        assertThat(here.eventNames()).containsExactly("Acquired", "Released", "NotAcquired");
        fresh.assertNothingLeft("a");
    }

    /** Where no exception has to be declared. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> void throwAsInKotlin(Throwable failure) throws T {
        throw (T) failure;
    }

    @Test
    void aListenerThatIsRemovedIsToldNothingMore() {
        HeldLock held = here.hold("a");
        LockListener late = event -> here.events.clear();
        here.client.addListener(late);
        here.client.removeListener(late);
        held.release();
        assertThat(here.eventNames()).containsExactly("Acquired", "Released");
    }
}
