package io.distlock.spring.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;
import org.mockito.Mockito;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** A body that returns a future or a publisher may block, and the caller may be an event loop. */
class BodyThreadTests {

    private final LockRuntime runtime = LockRuntime.start();
    /** Grants before it has been asked to the end. */
    private final LockClient client = LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
            .callbackExecutor(Runnable::run)
            .build();

    private final Executions executions =
            new Executions(EnclosingScope.Resolver.NONE, Optional.empty(), Ticker::system);
    private final AtomicReference<Thread> body = new AtomicReference<>();

    @AfterEach
    void close() {
        client.close();
        runtime.close();
    }

    private List<LockTask> tasks() {
        return List.of(new LockTask(client, client.request("a"), false, NotAcquiredHandler.THROW));
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
        LockTask task = new LockTask(slow, client.request("a"), false, NotAcquiredHandler.THROW);
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
        Queue<Runnable> steps = new ArrayDeque<>();
        var execution = new FutureExecution(EnclosingScope.Resolver.NONE, Ticker::system, steps::add);
        List<LockTask> tasks = List.of(
                new LockTask(stub, client.request("a"), true, NotAcquiredHandler.THROW),
                new LockTask(client, client.request("b"), false, NotAcquiredHandler.THROW));

        CompletableFuture<?> future = execution.run(tasks, () -> {
            body.set(Thread.currentThread());
            return CompletableFuture.completedFuture("done");
        });
        steps.remove().run();
        lost.complete(new LockLoss(
                LockKey.of("a"),
                LockMode.EXCLUSIVE,
                first.fencingToken(),
                LockLoss.Reason.EXPIRED,
                Duration.ZERO,
                Duration.ZERO));
        steps.remove().run();

        await().until(future::isDone);
        assertThat(body).hasNullValue();
        assertThat(client.held()).isEmpty();
    }
}
