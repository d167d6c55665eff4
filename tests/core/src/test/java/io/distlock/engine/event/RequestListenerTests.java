package io.distlock.engine.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualClients;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What the listener of a request is told. */
@EndsInTime
class RequestListenerTests {

    private final ManualEngine here = new ManualEngine();
    private final List<String> told = new ArrayList<>();

    RequestListenerTests() {
        here.client.addRequestListener(Journal::new);
    }

    private final class Journal implements LockListener.OfRequest {

        private final String request;

        Journal(LockRequest request) {
            this.request = request.keys().toString();
            told.add("asked for " + this.request);
        }

        @Override
        public void granted(HeldLock lock) {
            told.add("granted " + lock.keys());
        }

        @Override
        public void notAcquired() {
            told.add("not acquired " + request);
        }

        @Override
        public void failed(Throwable cause) {
            told.add(cause.getClass().getSimpleName() + " " + request);
        }

        @Override
        public void released(Release outcome) {
            told.add(outcome + " " + request);
        }

        @Override
        public void lost(LockLoss loss) {
            told.add("lost " + loss.key() + " of " + request);
        }
    }

    @Test
    void aLockThatIsGrantedAndReleased() {
        here.hold("a").release();
        assertThat(told).containsExactly("asked for [a]", "granted [a]", "RELEASED [a]");
    }

    @Test
    void theEndIsToldOnceHoweverOftenTheLockIsReleased() {
        HeldLock held = here.hold("a");
        held.releaseAsync();
        held.release();
        held.close();
        assertThat(told).containsExactly("asked for [a]", "granted [a]", "RELEASED [a]");
    }

    @Test
    void aLockThatIsLost() {
        HeldLock held = here.client.acquire(here.now("a").withRenew(false));
        here.advanceMillis(30_000);
        held.release();
        assertThat(told).containsExactly("asked for [a]", "granted [a]", "lost a of [a]");
    }

    @Test
    void aReleaseThatFindsAnotherOwnerIsALoss() {
        HeldLock held = here.hold("a");
        here.deleteByHand("a");
        held.release();
        assertThat(told).containsExactly("asked for [a]", "granted [a]", "lost a of [a]");
    }

    @Test
    void eachWayOfAskingIsTold() {
        here.client.tryAcquire(here.now("a")).orElseThrow().close();
        here.client.acquireAsync(here.now("a")).join().close();
        here.client.tryAcquireAsync(here.now("a")).join().orElseThrow().close();
        Lock view = here.client.asLock(here.now("a"));
        view.lock();
        try {
            assertThat(told).hasSize(11);
        } finally {
            view.unlock();
        }
        assertThat(told)
                .hasSize(12)
                .containsSubsequence("asked for [a]", "granted [a]", "RELEASED [a]")
                .filteredOn("RELEASED [a]"::equals)
                .hasSize(4);
    }

    @Test
    void aRefusal() {
        here.other.acquire(here.now("a"));
        assertThat(here.client.tryAcquire(here.now("a"))).isEmpty();
        assertThatThrownBy(() -> here.hold("a")).isInstanceOf(LockNotAcquiredException.class);
        here.client.tryAcquireAsync(here.now("a"));
        here.client.acquireAsync(here.now("a"));
        assertThat(told).filteredOn("not acquired [a]"::equals).hasSize(4);
        assertThat(told).hasSize(8);
    }

    @Test
    void aStoreThatFails() {
        here.provider.onAcquire(Fault.ERROR);
        assertThatThrownBy(() -> here.hold("a")).isInstanceOf(LockUnavailableException.class);
        here.client.acquireAsync(here.now("a"));
        assertThat(told).filteredOn("LockUnavailableException [a]"::equals).hasSize(2);
        assertThat(told).hasSize(4);
    }

    @Test
    void aCallOnAnInterruptedThreadIsACallToo() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> here.hold("a")).isInstanceOf(LockInterruptedException.class);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(told).containsExactly("asked for [a]", "LockInterruptedException [a]");
    }

    @Test
    void anAsynchronousCallThatIsCancelled() {
        here.other.acquire(here.now("a"));
        here.client.acquireAsync(here.request("a")).cancel(true);
        assertThat(told).containsExactly("asked for [a]", CancellationException.class.getSimpleName() + " [a]");
    }

    @Test
    void severalKeysAreOneRequestAndOneLock() {
        request("b", "a").release();
        assertThat(told).containsExactly("asked for [a, b]", "granted [a, b]", "RELEASED [a, b]");
    }

    @Test
    void severalKeysAreLostWithTheFirst() {
        HeldLock held = request("a", "b", "c");
        here.deleteByHand("a");
        here.deleteByHand("b");
        here.advanceMillis(11_000);
        held.release();
        assertThat(told).hasSize(3).last().asString().contains("lost").endsWith("of [a, b, c]");
    }

    private HeldLock request(String... names) {
        return here.client.acquire(
                here.client.request(List.of(names).stream().map(LockKey::of).toList()));
    }

    @Test
    void aKeyThatIsLostWhileOthersAreWaitedForFailsTheRequest() {
        HeldLock others = here.other.acquire(here.now("b"));
        CompletableFuture<HeldLock> asked = here.client.acquireAsync(here.client
                .request(List.of(LockKey.of("a"), LockKey.of("b")))
                .withWaitTime(Duration.ofMinutes(1))
                .withRenew(false));
        here.advanceMillis(30_000);
        others.release();
        assertThat(asked).isCompletedExceptionally();
        assertThat(told).containsExactly("asked for [a, b]", "LockUnavailableException [a, b]");
    }

    @Test
    void aFutureThatIsGivenUpInTheInstantOfItsGrantGivesTheLockBack() {
        assertGivenBack(client -> client.acquireAsync(here.request("a").withMinHoldTime(Duration.ofMinutes(1))));
    }

    @Test
    void soDoesOneThatMayBeEmpty() {
        assertGivenBack(client -> client.tryAcquireAsync(here.request("a")));
    }

    private void assertGivenBack(Function<LockClient, CompletableFuture<?>> question) {
        List<Runnable> underWay = new ArrayList<>();
        LockClient client = watched(underWay);
        question.apply(client).cancel(true);
        while (!underWay.isEmpty()) {
            underWay.remove(0).run();
        }
        assertThat(here.isFree("a")).isTrue();
        assertThat(told).containsExactly("asked for [a]", "granted [a]", "RELEASED [a]");
    }

    /** Where no thread takes what may block, but losses are announced. */
    private LockClient watched(List<Runnable> underWay) {
        LockClient client = ManualClients.of(here.provider, here.runtime, underWay::add, "watched");
        client.addRequestListener(Journal::new);
        return client;
    }

    /** The news must not take the way of those that may block. */
    @Test
    void theNewsOfALossIsHandedOnAsItComes() {
        HeldLock held = watched(new ArrayList<>()).acquire(here.now("a").withRenew(false));
        held.onLost(loss -> told.add("onLost"));
        here.advanceMillis(30_000);
        assertThat(told).contains("lost a of [a]", "onLost");
    }

    @Test
    void aListenerThatThrowsHarmsNeitherTheLockNorTheNextListener() {
        ManualEngine fresh = new ManualEngine();
        fresh.client.addRequestListener(request -> {
            throw new AssertionError("listener fails on purpose");
        });
        fresh.client.addRequestListener(request -> new Broken());
        fresh.client.addRequestListener(Journal::new);
        assertThatCode(() -> fresh.hold("a").close()).doesNotThrowAnyException();
        fresh.other.acquire(fresh.now("a"));
        assertThat(fresh.client.tryAcquire(fresh.now("a"))).isEmpty();
        assertThat(told)
                .containsExactly("asked for [a]", "granted [a]", "RELEASED [a]", "asked for [a]", "not acquired [a]");
    }

    private static final class Broken implements LockListener.OfRequest {

        @Override
        public void granted(HeldLock lock) {
            throw new AssertionError("listener fails on purpose");
        }

        @Override
        public void notAcquired() {
            throw new AssertionError("listener fails on purpose");
        }

        @Override
        public void released(Release outcome) {
            throw new IllegalStateException("listener fails on purpose");
        }
    }
}
