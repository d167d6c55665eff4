package io.distlock.engine.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.spi.LockProvider;
import io.distlock.test.provider.Fault;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls that arrive before their process is connected for the first time. */
@EndsInTime
class FirstConnectionTests {

    private final ManualEngine here = new ManualEngine();
    private final CompletableFuture<Boolean> connected = new CompletableFuture<>();
    private final LockClient started = ManualEngine.client(connecting(), here.runtime);

    @Test
    void aCallThatWaitsForNoHolderWaitsForTheConnection() {
        CompletableFuture<Optional<HeldLock>> call = started.tryAcquireAsync(here.now("a"));
        here.advanceMillis(60_000);
        assertThat(call).isNotDone();
        connected.complete(true);
        assertThat(call.join()).isPresent();
    }

    @Test
    void onceConnectedItWaitsForTheStoreNoLongerThanAnyCall() {
        here.provider.onAcquire(Fault.SILENCE);
        CompletableFuture<Optional<HeldLock>> call = started.tryAcquireAsync(here.now("a"));
        here.advanceMillis(4_000);
        connected.complete(true);
        here.advanceMillis(1_249);
        assertThat(call).isNotDone();
        here.advanceMillis(1);
        assertThatThrownBy(call::join).hasMessageContaining("did not answer in time");
    }

    @Test
    void itWaitsForAHolderFromThenOn() {
        here.other.acquire(here.now("a"));
        CompletableFuture<Optional<HeldLock>> call = started.tryAcquireAsync(here.request("a"));
        here.advanceMillis(4_000);
        connected.complete(true);
        here.advanceMillis(4_999);
        assertThat(call).isNotDone();
        here.advanceMillis(1);
        assertThat(call.join()).isEmpty();
    }

    @Test
    void soDoesEachCallForTheSameKey() {
        var first = started.tryAcquireAsync(here.request("a"));
        var second = started.tryAcquireAsync(here.request("a"));
        here.advanceMillis(60_000);
        connected.complete(true);
        first.join().orElseThrow().release();
        assertThat(second.join()).isPresent();
    }

    @Test
    void severalKeysAreOneCall() {
        here.other.acquire(here.now("b"));
        LockRequest both = here.client.request(List.of(LockKey.of("a"), LockKey.of("b")));
        CompletableFuture<Optional<HeldLock>> call = started.tryAcquireAsync(both);
        here.advanceMillis(4_000);
        connected.complete(true);
        here.advanceMillis(4_999);
        assertThat(call).isNotDone();
        here.advanceMillis(1);
        assertThat(call.join()).isEmpty();
    }

    @Test
    void withoutAConnectionTheStoreIsAskedOnceMoreAndItsFailureReported() {
        here.provider.onAcquire(Fault.ERROR);
        CompletableFuture<Optional<HeldLock>> call = started.tryAcquireAsync(here.request("a"));
        here.advanceMillis(5_000);
        connected.complete(false);
        assertThatThrownBy(call::join).hasCauseInstanceOf(LockUnavailableException.class);
    }

    @Test
    void aProviderThatFailsToConnectIsAskedLikeOneThatTookTooLong() {
        CompletableFuture<Optional<HeldLock>> call = started.tryAcquireAsync(here.request("a"));
        connected.completeExceptionally(new IllegalStateException("broken"));
        assertThat(call.join()).isPresent();
    }

    @Test
    void cancellingItMeanwhileLeavesNothing() {
        CompletableFuture<Optional<HeldLock>> call = started.tryAcquireAsync(here.request("a"));
        call.cancel(true);
        connected.complete(true);
        assertThat(here.provider.acquires()).isZero();
        assertThat(started.tryAcquireAsync(here.now("a")).join()).isPresent();
    }

    @Test
    void closingTheClientMeanwhileFailsIt() {
        CompletableFuture<Optional<HeldLock>> call = started.tryAcquireAsync(here.request("a"));
        started.close();
        assertThatThrownBy(call::join).hasMessageContaining("the lock client is closed");
        connected.complete(true);
        assertThat(here.provider.acquires()).isZero();
    }

    private LockProvider connecting() {
        return (LockProvider) Proxy.newProxyInstance(
                FirstConnectionTests.class.getClassLoader(),
                new Class<?>[] {LockProvider.class},
                (proxy, method, args) ->
                        method.getName().equals("connected") ? connected : method.invoke(here.provider, args));
    }
}
