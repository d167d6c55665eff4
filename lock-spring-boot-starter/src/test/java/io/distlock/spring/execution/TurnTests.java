package io.distlock.spring.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockNotAcquiredException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockContext;
import io.distlock.spring.execution.Execution.Body;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.task.TaskDecorator;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** What needs a thread of the application's executor, and until when it has it. */
@Timeout(240)
class TurnTests {

    private final LockRuntime runtime = LockRuntime.start();
    private final LockClient client = LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
            .callbackExecutor(Runnable::run)
            .build();
    private final Executor pool = LockClientBuilder.defaultCallbackExecutor();
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void close() {
        client.close();
        runtime.close();
    }

    private static Executions executions(Executor executor, TaskDecorator... decorators) {
        return new Executions(
                EnclosingScope.Resolver.NONE,
                Optional.empty(),
                Ticker::system,
                () -> executor,
                () -> List.of(decorators));
    }

    private LockTask task(NotAcquiredHandler handler) {
        return new LockTask(
                client, client.request("a").withWaitTime(Duration.ZERO), new BodyPolicy(false, true), handler);
    }

    private CompletableFuture<?> future(Executions executions, LockTask... tasks) {
        try {
            Object future = executions.future().run(List.of(tasks), () -> {
                runs.incrementAndGet();
                return CompletableFuture.completedFuture("done");
            });
            return (CompletableFuture<?>) Objects.requireNonNull(future);
        } catch (Throwable thrown) {
            throw new AssertionError(thrown);
        }
    }

    private static Mono<?> mono(Executions executions, Body body, LockTask... tasks) {
        var adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(Mono.class);
        try {
            Object mono = executions.publisher(adapter).run(List.of(tasks), body);
            return (Mono<?>) Objects.requireNonNull(mono);
        } catch (Throwable thrown) {
            throw new AssertionError(thrown);
        }
    }

    private Mono<?> done() {
        runs.incrementAndGet();
        return Mono.just("done");
    }

    @Test
    void theWorkOfASubscriptionThatIsCancelledDuringTheCallOfItsMethodDoesNotBegin() throws Throwable {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Executor observed = task -> pool.execute(() -> {
            task.run();
            over.countDown();
        });
        Body body = () -> {
            inside.countDown();
            assertThat(leave.await(20, TimeUnit.SECONDS)).isTrue();
            return Mono.fromCallable(runs::incrementAndGet);
        };
        Disposable subscription =
                mono(executions(observed), body, task(NotAcquiredHandler.THROW)).subscribe();
        assertThat(inside.await(20, TimeUnit.SECONDS)).isTrue();
        subscription.dispose();
        leave.countDown();
        assertThat(over.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(runs).hasValue(0);
        await().until(() -> client.held().findAny().isEmpty());
    }

    @Test
    void workThatIsDoneInTheSubscriptionItselfKeepsTheLockAlthoughItIsCancelled() throws Throwable {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        Body body = () -> Mono.fromCallable(() -> {
            inside.countDown();
            return leave.await(20, TimeUnit.SECONDS);
        });
        Disposable subscription =
                mono(executions(pool), body, task(NotAcquiredHandler.THROW)).subscribe();
        assertThat(inside.await(20, TimeUnit.SECONDS)).isTrue();
        subscription.dispose();
        assertThat(client.held()).hasSize(1);
        leave.countDown();
        await().until(() -> client.held().findAny().isEmpty());
    }

    /** The inner lock is lost; the outer one is not, and the method goes on. */
    @Test
    void aLossReleasesTheOtherLocksOnceTheMethodHasReturned() throws Throwable {
        CountDownLatch leave = new CountDownLatch(1);
        CompletableFuture<HeldLock> inside = new CompletableFuture<>();
        ExecutorService callbacks = Executors.newSingleThreadExecutor();
        try (LockClient own = LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
                .callbackExecutor(callbacks)
                .build()) {
            Body body = () -> {
                inside.complete(LockContext.requireHeld("b"));
                assertThat(leave.await(20, TimeUnit.SECONDS)).isTrue();
                return Mono.just("done");
            };
            LockTask outer = new LockTask(own, own.request("a"), new BodyPolicy(false, true), NotAcquiredHandler.THROW);
            LockTask inner = new LockTask(own, own.request("b"), new BodyPolicy(true, true), NotAcquiredHandler.THROW);
            CompletableFuture<?> result =
                    mono(executions(pool), body, outer, inner).toFuture();
            CompletableFuture<Void> lost = inside.get(20, TimeUnit.SECONDS)
                    .lost()
                    .toCompletableFuture()
                    .thenAccept(loss -> {});
            own.held()
                    .filter(hold -> hold.key().equals(LockKey.of("b")))
                    .forEach(hold -> own.forceRelease(hold.key(), hold.token()));
            lost.get(20, TimeUnit.SECONDS);
            // The subscription was cancelled before this.
            callbacks.submit(() -> {}).get(20, TimeUnit.SECONDS);
            assertThat(own.inspect(LockKey.of("a"))).isPresent();
            leave.countDown();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> result.get(20, TimeUnit.SECONDS))
                    .withCauseInstanceOf(LockLostException.class);
            assertThat(own.held()).isEmpty();
        } finally {
            leave.countDown();
            callbacks.shutdown();
        }
    }

    @Test
    void whoDoesNotGetTheLockIsToldAlthoughNoThreadIsToBeHad() {
        Executions busy = executions(task -> {});
        LockTask skip = task((NotAcquiredHandler.Immediate) why -> CompletableFuture.completedFuture("skipped"));
        try (HeldLock other = client.acquire(client.request("a"))) {
            assertThat(future(busy, skip)).isCompletedWithValueMatching("skipped"::equals);
            assertThat(future(busy, task(NotAcquiredHandler.THROW)))
                    .failsWithin(Duration.ZERO)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(LockNotAcquiredException.class);
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> mono(busy, this::done, task(NotAcquiredHandler.THROW))
                            .block(Duration.ofSeconds(20)));
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void aFallbackDoesNotRunOnceItsCallIsCancelled() {
        Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
        AtomicInteger fallbacks = new AtomicInteger();
        LockTask task = task(why -> {
            fallbacks.incrementAndGet();
            return CompletableFuture.completedFuture("instead");
        });
        try (HeldLock other = client.acquire(client.request("a"))) {
            CompletableFuture<?> future = future(executions(steps::add), task);
            await().until(() -> steps.size() == 1);
            future.cancel(true);
            steps.forEach(Runnable::run);
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(fallbacks).hasValue(0);
        assertThat(runs).hasValue(0);
    }

    @Test
    void aDecoratorThatThrowsOrDropsItsTaskFailsTheCallAndReleasesTheLock() {
        IllegalStateException ofTheDecorator = new IllegalStateException("no tenant");
        Executions throwing = executions(pool, task -> () -> {
            throw ofTheDecorator;
        });
        Executions dropping = executions(pool, task -> () -> {});
        LockTask task = task(NotAcquiredHandler.THROW);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> future(throwing, task).get(20, TimeUnit.SECONDS))
                .satisfies(seen -> assertThat(seen.getCause()).isSameAs(ofTheDecorator));
        assertThatThrownBy(() -> mono(throwing, this::done, task).block(Duration.ofSeconds(20)))
                .isSameAs(ofTheDecorator);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> future(dropping, task).get(20, TimeUnit.SECONDS))
                .withMessageContaining("did not run its task");
        assertThatThrownBy(() -> mono(dropping, this::done, task).block(Duration.ofSeconds(20)))
                .hasMessageContaining("did not run its task");
        assertThat(client.held()).isEmpty();
        assertThat(runs).hasValue(0);
    }
}
