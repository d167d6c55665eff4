package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.mockito.AdditionalAnswers;
import org.mockito.Mockito;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.task.TaskDecorator;
import reactor.core.publisher.Mono;

/** Calls whose bodies return futures and publishers. */
@Timeout(240)
abstract class BodyFixture {

    final LockRuntime runtime = LockRuntime.start();
    /** Grants before it has been asked to the end. */
    final LockClient client = LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
            .callbackExecutor(Runnable::run)
            .build();

    final Executor pool = LockClientBuilder.defaultCallbackExecutor();
    final Executions executions = executions(pool);
    final AtomicReference<Thread> body = new AtomicReference<>();

    static Executions executions(Executor executor, TaskDecorator... decorators) {
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

    final List<LockTask> tasks() {
        return List.of(
                new LockTask(client, client.request("a"), new BodyPolicy(false, true), NotAcquiredHandler.THROW));
    }

    /** Whose next lock is the one that the future is completed with. */
    final LockClient answeredBy(CompletableFuture<HeldLock> asked) {
        LockClient slow = Mockito.mock(LockClient.class, AdditionalAnswers.delegatesTo(client));
        Mockito.doReturn(asked).when(slow).acquireAsync(Mockito.any());
        return slow;
    }

    /** Which says where its body ran. */
    final CompletableFuture<?> future(Executions executions, List<LockTask> tasks) {
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
    final Mono<?> mono(Executions executions, List<LockTask> tasks) {
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
}
