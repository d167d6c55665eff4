package io.distlock.engine.event;

import static io.distlock.engine.ManualEngine.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.CallbackFixture;
import io.distlock.engine.EndsInTime;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of a lock, or of the news of one, when the callback executor has no thread for it. */
@EndsInTime
class CallbackExecutorTests extends CallbackFixture {

    @Test
    void dependentsThatWaitForOneAnotherDoNotStandInEachOthersWay() {
        LockClient client = client();
        // Granted once all have been asked for: what depends on a future that is complete already runs where it is
        // added.
        provider.onAcquire(Fault.LATE);
        CountDownLatch all = new CountDownLatch(300);
        List<CompletableFuture<Void>> met = new ArrayList<>();
        for (int lock = 0; lock < 300; lock++) {
            met.add(client.acquireAsync(client.request("orders", "" + lock)).thenAccept(held -> meet(all)));
        }
        provider.deliver();
        await().untilAsserted(() -> assertThat(met).allMatch(CompletableFuture::isDone));
    }

    @ParameterizedTest
    @MethodSource("executorsThatThrow")
    void aGrantThatNoThreadHandsOverIsGivenBack(Executor executor) {
        LockClient client = client(executor);
        CompletableFuture<HeldLock> one = client.acquireAsync(client.request("a"));
        CompletableFuture<Optional<HeldLock>> other = client.tryAcquireAsync(client.request("b"));
        for (CompletableFuture<?> asked : List.of(one, other)) {
            await().until(asked::isDone);
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(asked::join)
                    .havingCause()
                    .isInstanceOf(LockUnavailableException.class)
                    .withMessageContaining("callback executor")
                    .satisfies(failure -> assertThat(failure.getCause()).isNotNull());
        }
        assertThat(client.held()).isEmpty();
        assertThat(client.inspect(LockKey.of("a"))).isEmpty();
        assertThat(client.inspect(LockKey.of("b"))).isEmpty();
    }

    /** As one that decorates its tasks, and fails in doing so after the task. */
    @Test
    void aGrantThatWasHandedOverIsKeptThoughTheExecutorThrowsAfterwards() {
        LockClient client = client(task -> {
            task.run();
            throw new IllegalStateException("executor fails on purpose");
        });
        HeldLock held = client.acquireAsync(client.request("a")).join();
        HeldLock other = client.tryAcquireAsync(client.request("b")).join().orElseThrow();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("distlock-refused-")));
        assertThat(List.of(held, other)).allMatch(HeldLock::isHeld);
    }

    @ParameterizedTest
    @MethodSource("executorsThatThrow")
    void aRefusalIsToldThoughTheExecutorThrows(Executor executor) {
        LockClient client = client(executor);
        client.acquire(client.request("a"));
        var asked = client.tryAcquireAsync(client.request("a").withWaitTime(Duration.ZERO));
        await().until(asked::isDone);
        assertThat(asked.join()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("executorsThatThrow")
    void aReleaseEndsThoughTheExecutorThrows(Executor executor) {
        LockClient client = client(executor);
        HeldLock held = client.acquire(client.request("a"));
        CompletableFuture<Release> released = held.releaseAsync().toCompletableFuture();
        await().until(released::isDone);
        assertThat(released.join()).isEqualTo(Release.RELEASED);
        HeldLock gone = client.acquire(client.request("b"));
        client.forceRelease(LockKey.of("b"), gone.fencingToken());
        HeldLock taken = client.acquire(client.request("c"));
        takeAway(taken);
        assertThat(taken.release()).isEqualTo(Release.NOT_OWNER);
        assertThat(client.held()).isEmpty();
    }
}
