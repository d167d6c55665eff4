package io.distlock.spring.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Mono;

/** A body that returns a future or a publisher may block, and the caller may be an event loop. */
class BodyThreadTests extends BodyFixture {

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
        LockClient slow = answeredBy(asked);
        user.set("ann");
        List<LockTask> tasks =
                List.of(new LockTask(slow, client.request("a"), new BodyPolicy(false, true), NotAcquiredHandler.THROW));
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
            LockTask task = new LockTask(
                    client, client.request("a").withWaitTime(Duration.ZERO), new BodyPolicy(false, true), handler);
            assertThat(future(executions, List.of(task)).get(20, TimeUnit.SECONDS))
                    .isEqualTo("instead");
            assertThat(fallback.get()).isNotNull().isNotSameAs(Thread.currentThread());
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(body).hasNullValue();
    }
}
