package io.distlock.spring.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spring.LockContext;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;
import org.mockito.Mockito;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.Disposable;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** Bodies whose call is given up, or whose lock is lost, before they have begun or while they run. */
class AbandonedBodyTests extends BodyFixture {

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
        LockClient slow = answeredBy(asked);
        LockTask task = new LockTask(slow, client.request("a"), new BodyPolicy(false, true), NotAcquiredHandler.THROW);
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
        LockClient stub = answeredBy(CompletableFuture.completedFuture(losing));
        Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
        List<LockTask> tasks = List.of(
                new LockTask(stub, client.request("a"), new BodyPolicy(true, true), NotAcquiredHandler.THROW),
                new LockTask(client, client.request("b"), new BodyPolicy(false, true), NotAcquiredHandler.THROW));

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
        // The caller is told although no thread is to be had.
        assertLost(future(busy, tasks()));
        assertLost(mono(busy, tasks()).toFuture());
        await().until(() -> steps.size() == 2);
        steps.forEach(Runnable::run);
        assertThat(body).hasNullValue();
    }

    /** Once it has its lock, which is then taken away. */
    private void assertLost(CompletableFuture<?> call) {
        takeAway(client);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                .withCauseInstanceOf(LockLostException.class);
    }

    private static void takeAway(LockClient client) {
        assertThat(client.held()).hasSize(1);
        client.held().forEach(hold -> client.forceRelease(hold.key(), hold.token()));
    }

    @Test
    void aBodyIsNotRunOnceTheOuterLockThatItEnteredIsLost() throws Throwable {
        Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
        AtomicReference<CompletableFuture<?>> inner = new AtomicReference<>();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> executions.blocking().run(tasks(), () -> {
                    inner.set(future(executions(steps::add), tasks()));
                    HeldLock outer = LockContext.current();
                    takeAway(client);
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
        LockClient slow = answeredBy(asked);
        second.set(future(
                full,
                List.of(new LockTask(
                        slow, client.request("a"), new BodyPolicy(false, true), NotAcquiredHandler.THROW))));
        meanwhile.set(() -> second.get().cancel(true));
        asked.complete(client.acquire(client.request("a")));
        await().until(() -> second.get().isDone());
        assertThat(second.get()).isCancelled();
        assertThat(client.held()).isEmpty();
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
            CompletableFuture<String> work = new CompletableFuture<>();
            executions(single)
                    .future()
                    .run(
                            List.of(new LockTask(
                                    own, own.request("a"), new BodyPolicy(true, true), NotAcquiredHandler.THROW)),
                            () -> {
                                single.execute(() -> {
                                    try {
                                        leave.await();
                                    } catch (InterruptedException interrupt) {
                                        Thread.currentThread().interrupt();
                                    }
                                });
                                return work;
                            });
            // That of the call, which is the last thing it does.
            await().until(() -> work.getNumberOfDependents() == 1);
            takeAway(own);
            await().until(work::isCancelled);
        } finally {
            leave.countDown();
            single.shutdown();
        }
    }
}
