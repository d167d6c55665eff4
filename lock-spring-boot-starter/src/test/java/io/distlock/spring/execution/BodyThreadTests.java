package io.distlock.spring.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockContext;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.AdditionalAnswers;
import org.mockito.Mockito;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.task.TaskDecorator;
import reactor.core.Disposable;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** A body that returns a future or a publisher may block, and the caller may be an event loop. */
@Timeout(240)
class BodyThreadTests {

    private final LockRuntime runtime = LockRuntime.start();
    /** Grants before it has been asked to the end. */
    private final LockClient client = LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
            .callbackExecutor(Runnable::run)
            .build();

    private final Executor pool = LockClientBuilder.defaultCallbackExecutor();
    private final Executions executions = executions(pool);
    private final AtomicReference<Thread> body = new AtomicReference<>();

    private static Executions executions(Executor executor, TaskDecorator... decorators) {
        return new Executions(
                EnclosingScope.Resolver.NONE,
                Optional.empty(),
                Ticker::system,
                () -> executor,
                () -> List.of(decorators));
    }

    @AfterEach
    void close() {
        client.close();
        runtime.close();
    }

    private List<LockTask> tasks() {
        return List.of(new LockTask(client, client.request("a"), false, true, NotAcquiredHandler.THROW));
    }

    @Test
    void theBodyOfAFutureDoesNotRunOnTheCallersThread() throws Throwable {
        CompletableFuture<?> future = (CompletableFuture<?>) executions.future().run(tasks(), () -> {
            body.set(Thread.currentThread());
            return CompletableFuture.completedFuture("done");
        });
        assertThat(future.get(20, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(body.get()).isNotNull().isNotSameAs(Thread.currentThread());
        assertThat(client.held()).isEmpty();
    }

    @Test
    void theBodyOfAPublisherDoesNotRunOnTheSubscribersThread() throws Throwable {
        var adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(Mono.class);
        Object mono = executions.publisher(adapter).run(tasks(), () -> {
            body.set(Thread.currentThread());
            return Mono.just("done");
        });
        assertThat(((Mono<?>) mono).block(Duration.ofSeconds(20))).isEqualTo("done");
        assertThat(body.get()).isNotNull().isNotSameAs(Thread.currentThread());
        assertThat(client.held()).isEmpty();
    }

    /** An error that nobody takes is logged by Reactor. */
    @Test
    void aSubscriptionThatIsGivenUpWhileItWaitsDropsNoError() throws Throwable {
        List<Throwable> dropped = new CopyOnWriteArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        try (HeldLock other = client.acquire(client.request("a"))) {
            var adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(Mono.class);
            Mono<?> mono = (Mono<?>) executions.publisher(adapter).run(tasks(), () -> Mono.just("done"));
            mono.subscribe().dispose();
            assertThat(client.waiting()).isEmpty();
            assertThat(other.isHeld()).isTrue();
            assertThat(dropped).isEmpty();
        } finally {
            Hooks.resetOnErrorDropped();
        }
    }

    /** The grant is on its way, and cancelling does not stop it. */
    @Test
    void aBodyThatIsGivenUpInTheInstantOfItsGrantIsNotRunAndItsLockIsGivenBack() throws Throwable {
        CompletableFuture<HeldLock> asked = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false;
            }
        };
        LockClient slow = Mockito.mock(LockClient.class, AdditionalAnswers.delegatesTo(client));
        Mockito.doReturn(asked).when(slow).acquireAsync(Mockito.any());
        LockTask task = new LockTask(slow, client.request("a"), false, true, NotAcquiredHandler.THROW);
        CompletableFuture<?> future = (CompletableFuture<?>) executions.future().run(List.of(task), () -> {
            body.set(Thread.currentThread());
            return CompletableFuture.completedFuture("done");
        });
        future.cancel(true);
        asked.complete(client.acquire(client.request("a")));
        await().until(() -> client.held().findAny().isEmpty());
        assertThat(body).hasNullValue();
    }

    /** Its continuation waits for a thread, so cancelling the acquisition comes too late. */
    @Test
    void aBodyIsNotRunOnceAnEarlierLockOfTheCallWasLost() {
        HeldLock first = client.acquire(client.request("a"));
        CompletableFuture<LockLoss> lost = new CompletableFuture<>();
        HeldLock losing = Mockito.mock(HeldLock.class, AdditionalAnswers.delegatesTo(first));
        Mockito.doReturn(lost).when(losing).lost();
        LockClient stub = Mockito.mock(LockClient.class, AdditionalAnswers.delegatesTo(client));
        Mockito.doReturn(CompletableFuture.completedFuture(losing)).when(stub).acquireAsync(Mockito.any());
        Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
        List<LockTask> tasks = List.of(
                new LockTask(stub, client.request("a"), true, true, NotAcquiredHandler.THROW),
                new LockTask(client, client.request("b"), false, true, NotAcquiredHandler.THROW));

        CompletableFuture<?> future = future(executions(steps::add), tasks);
        lost.complete(new LockLoss(
                LockKey.of("a"),
                LockMode.EXCLUSIVE,
                first.fencingToken(),
                LockLoss.Reason.EXPIRED,
                Duration.ZERO,
                Duration.ZERO));
        await().until(() -> !steps.isEmpty());
        steps.forEach(Runnable::run);

        await().until(future::isDone);
        assertThat(body).hasNullValue();
        assertThat(client.held()).isEmpty();
    }

    /** Which says where its body ran. */
    private CompletableFuture<?> future(Executions executions, List<LockTask> tasks) {
        try {
            Object future = executions.future().run(tasks, () -> {
                body.set(Thread.currentThread());
                return CompletableFuture.completedFuture("done");
            });
            return (CompletableFuture<?>) Objects.requireNonNull(future);
        } catch (Throwable thrown) {
            throw new AssertionError(thrown);
        }
    }

    /** Which says where its body ran. */
    private Mono<?> mono(Executions executions, List<LockTask> tasks) {
        var adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(Mono.class);
        try {
            Object mono = executions.publisher(adapter).run(tasks, () -> {
                body.set(Thread.currentThread());
                return Mono.just("done");
            });
            return (Mono<?>) Objects.requireNonNull(mono);
        } catch (Throwable thrown) {
            throw new AssertionError(thrown);
        }
    }

    @Test
    void aBodyThatEntersALockOfItsCallDoesNotRunOnTheCallersThreadEither() throws Throwable {
        executions.blocking().run(tasks(), () -> {
            future(executions, tasks()).get(20, TimeUnit.SECONDS);
            assertThat(body.getAndSet(null)).isNotNull().isNotSameAs(Thread.currentThread());
            mono(executions, tasks()).block(Duration.ofSeconds(20));
            return assertThat(body.get()).isNotNull().isNotSameAs(Thread.currentThread());
        });
    }

    @Test
    void anExecutorThatRunsTasksOnTheSubmittersThreadIsReplaced() throws Throwable {
        Executions direct = executions(Runnable::run);
        future(direct, tasks()).get(20, TimeUnit.SECONDS);
        assertThat(body.getAndSet(null)).isNotNull().isNotSameAs(Thread.currentThread());
        mono(direct, tasks()).block(Duration.ofSeconds(20));
        assertThat(body.get()).isNotNull().isNotSameAs(Thread.currentThread());
    }

    @Test
    void aGrantIsReleasedIfTheExecutorRefusesTheBody() {
        RejectedExecutionException refusal = new RejectedExecutionException("full");
        Executions full = executions(task -> {
            throw refusal;
        });
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> future(full, tasks()).get(20, TimeUnit.SECONDS))
                .satisfies(seen -> assertThat(seen.getCause()).isSameAs(refusal));
        assertThatThrownBy(() -> mono(full, tasks()).block(Duration.ofSeconds(20)))
                .isSameAs(refusal);
        assertThat(body).hasNullValue();
        assertThat(client.held()).isEmpty();
    }

    @Test
    void aCallThatIsCancelledWhileItsBodyWaitsForAThreadReleasesItsLockAtOnce() {
        Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
        Executions busy = executions(steps::add);
        CompletableFuture<?> future = future(busy, tasks());
        assertThat(client.held()).hasSize(1);
        future.cancel(true);
        assertThat(client.held()).isEmpty();
        Disposable subscription = mono(busy, tasks()).subscribe();
        assertThat(client.held()).hasSize(1);
        subscription.dispose();
        assertThat(client.held()).isEmpty();
        await().until(() -> steps.size() == 2);
        steps.forEach(Runnable::run);
        assertThat(body).hasNullValue();
    }

    @Test
    void aBodyWhoseLockIsLostWhileItWaitsForAThreadIsNotRun() {
        Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
        Executions busy = executions(steps::add);
        LockRequest brief = client.request("a").withRenew(false).withLeaseTime(Duration.ofSeconds(1));
        List<LockTask> tasks = List.of(new LockTask(client, brief, false, true, NotAcquiredHandler.THROW));
        CompletableFuture<?> future = future(busy, tasks);
        // The caller is told although no thread is to be had.
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> future.get(20, TimeUnit.SECONDS))
                .withCauseInstanceOf(LockLostException.class);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> mono(busy, tasks).block(Duration.ofSeconds(20)));
        await().until(() -> steps.size() == 2);
        steps.forEach(Runnable::run);
        assertThat(body).hasNullValue();
    }

    /** One with a limit of concurrent tasks does. */
    @Test
    void anExecutorThatBlocksTheSubmitterDoesNotBlockTheCaller() throws Throwable {
        CountDownLatch permit = new CountDownLatch(1);
        Executions limited = executions(task -> {
            try {
                assertThat(permit.await(20, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException interrupt) {
                throw new IllegalStateException(interrupt);
            }
            pool.execute(task);
        });
        CompletableFuture<?> future = future(limited, tasks());
        assertThat(future).isNotDone();
        permit.countDown();
        assertThat(future.get(20, TimeUnit.SECONDS)).isEqualTo("done");
    }

    @Test
    void aBodyIsNotRunOnceTheOuterLockThatItEnteredIsLost() throws Throwable {
        Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
        LockRequest brief = client.request("a").withRenew(false).withLeaseTime(Duration.ofSeconds(1));
        List<LockTask> tasks = List.of(new LockTask(client, brief, false, true, NotAcquiredHandler.THROW));
        AtomicReference<CompletableFuture<?>> inner = new AtomicReference<>();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> executions.blocking().run(tasks, () -> {
                    inner.set(future(executions(steps::add), tasks));
                    HeldLock outer = LockContext.current();
                    await().until(() -> !outer.isHeld());
                    return null;
                }));
        await().until(() -> !steps.isEmpty());
        steps.forEach(Runnable::run);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> inner.get().get(20, TimeUnit.SECONDS))
                .withCauseInstanceOf(LockLostException.class);
        assertThat(body).hasNullValue();
    }

    @Test
    void aSubscriptionThatIsCancelledWhileItsMethodIsAtWorkKeepsTheLockUntilThatReturns() throws Throwable {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        var adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(Mono.class);
        Mono<?> mono = (Mono<?>) executions.publisher(adapter).run(tasks(), () -> {
            inside.countDown();
            assertThat(leave.await(20, TimeUnit.SECONDS)).isTrue();
            return Mono.just("done");
        });
        Disposable subscription = mono.subscribe();
        assertThat(inside.await(20, TimeUnit.SECONDS)).isTrue();
        subscription.dispose();
        assertThat(client.held()).hasSize(1);
        leave.countDown();
        await().until(() -> client.held().findAny().isEmpty());
    }

    /** Refused when the caller has given up already, and the other way round. */
    @Test
    void aRefusalThatMeetsACancellationReleasesTheLockOnce() {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        Executions full = executions(task -> {
            meanwhile.get().run();
            throw new RejectedExecutionException("full");
        });
        AtomicReference<CompletableFuture<?>> second = new AtomicReference<>();
        CompletableFuture<HeldLock> asked = new CompletableFuture<>();
        LockClient slow = Mockito.mock(LockClient.class, AdditionalAnswers.delegatesTo(client));
        Mockito.doReturn(asked).when(slow).acquireAsync(Mockito.any());
        second.set(
                future(full, List.of(new LockTask(slow, client.request("a"), false, true, NotAcquiredHandler.THROW))));
        meanwhile.set(() -> second.get().cancel(true));
        asked.complete(client.acquire(client.request("a")));
        await().until(() -> second.get().isDone());
        assertThat(second.get()).isCancelled();
        assertThat(client.held()).isEmpty();
        assertThat(body).hasNullValue();
    }

    @Test
    void theBodyRunsInTheContextOfItsCaller() throws Throwable {
        ThreadLocal<String> user = new ThreadLocal<>();
        Executions inContext = executions(pool, task -> {
            String caller = user.get();
            return () -> {
                user.set(caller);
                try {
                    task.run();
                } finally {
                    user.remove();
                }
            };
        });
        CompletableFuture<HeldLock> asked = new CompletableFuture<>();
        LockClient slow = Mockito.mock(LockClient.class, AdditionalAnswers.delegatesTo(client));
        Mockito.doReturn(asked).when(slow).acquireAsync(Mockito.any());
        user.set("ann");
        List<LockTask> tasks = List.of(new LockTask(slow, client.request("a"), false, true, NotAcquiredHandler.THROW));
        CompletableFuture<?> future = (CompletableFuture<?>)
                inContext.future().run(tasks, () -> CompletableFuture.completedFuture(user.get()));
        user.remove();
        asked.complete(client.acquire(client.request("a")));
        assertThat(future.get(20, TimeUnit.SECONDS)).isEqualTo("ann");

        user.set("bob");
        var adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(Mono.class);
        Mono<?> mono = (Mono<?>) inContext.publisher(adapter).run(tasks(), () -> Mono.justOrEmpty(user.get()));
        assertThat(mono.block(Duration.ofSeconds(20))).isEqualTo("bob");
    }

    @Test
    void aFallbackRunsLikeABody() throws Throwable {
        AtomicReference<Thread> fallback = new AtomicReference<>();
        NotAcquiredHandler handler = why -> {
            fallback.set(Thread.currentThread());
            return CompletableFuture.completedFuture("instead");
        };
        try (HeldLock other = client.acquire(client.request("a"))) {
            LockTask task = new LockTask(client, client.request("a").withWaitTime(Duration.ZERO), false, true, handler);
            assertThat(future(executions, List.of(task)).get(20, TimeUnit.SECONDS))
                    .isEqualTo("instead");
            assertThat(fallback.get()).isNotNull().isNotSameAs(Thread.currentThread());
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(body).hasNullValue();
    }

    /** Callbacks of the client do not wait for a thread of the application's executor. */
    @Test
    void aLossCancelsABodyAlthoughTheExecutorIsBusy() throws Throwable {
        ExecutorService single = Executors.newSingleThreadExecutor();
        CountDownLatch leave = new CountDownLatch(1);
        try (LockClient own = LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
                .shutdownTimeout(Duration.ZERO)
                .build()) {
            LockRequest brief = own.request("a").withRenew(false).withLeaseTime(Duration.ofSeconds(1));
            CompletableFuture<String> work = new CompletableFuture<>();
            executions(single)
                    .future()
                    .run(List.of(new LockTask(own, brief, true, true, NotAcquiredHandler.THROW)), () -> {
                        single.execute(() -> {
                            try {
                                leave.await();
                            } catch (InterruptedException interrupt) {
                                Thread.currentThread().interrupt();
                            }
                        });
                        return work;
                    });
            await().until(work::isCancelled);
        } finally {
            leave.countDown();
            single.shutdown();
        }
    }
}
