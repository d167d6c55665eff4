package io.distlock.spring.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
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
import io.distlock.spi.Ticker;
import io.distlock.spring.execution.Execution.Body;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.AdditionalAnswers;
import org.mockito.Mockito;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What comes at the same instant as the grant of a lock, or as the beginning of a body. */
@Timeout(240)
class CallRaceTests {

    private final LockRuntime runtime = LockRuntime.start();
    private final LockClient client = LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
            .callbackExecutor(Runnable::run)
            .build();
    private final ExecutorService pool = Executors.newSingleThreadExecutor(task -> new Thread(task, "application"));
    private final AtomicReference<String> thread = new AtomicReference<>();
    private final AtomicReference<EnclosingScope.ReactiveResolver> scope = new AtomicReference<>();

    @AfterEach
    void close() {
        pool.shutdown();
        client.close();
        runtime.close();
    }

    private Executions executions(Executor executor) {
        return new Executions(
                EnclosingScope.Resolver.NONE,
                Optional.ofNullable(scope.get()),
                Ticker::system,
                () -> executor,
                List::of);
    }

    /** Its body says on which thread it runs. */
    private CompletableFuture<?> future(Executor executor, List<LockTask> tasks) {
        Body body = () -> {
            thread.set(Thread.currentThread().getName());
            return CompletableFuture.completedFuture("done");
        };
        return (CompletableFuture<?>) result(() -> executions(executor).future().run(tasks, body));
    }

    /** Its body says on which thread it runs. */
    private Mono<?> mono(Executor executor, List<LockTask> tasks) {
        var adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(Mono.class);
        Body body = () -> {
            thread.set(Thread.currentThread().getName());
            return Mono.just("done");
        };
        return (Mono<?>) result(() -> executions(executor).publisher(adapter).run(tasks, body));
    }

    private static Object result(Body call) {
        try {
            return call.run();
        } catch (Throwable thrown) {
            throw new AssertionError(thrown);
        }
    }

    private LockTask task(LockClient of, String key, boolean interruptOnLoss) {
        return new LockTask(of, client.request(key), new BodyPolicy(interruptOnLoss, true), NotAcquiredHandler.THROW);
    }

    private LockClient answering(Supplier<CompletableFuture<HeldLock>> answer) {
        LockClient stub = Mockito.mock(LockClient.class, AdditionalAnswers.delegatesTo(client));
        Mockito.doAnswer(call -> answer.get()).when(stub).acquireAsync(Mockito.any());
        return stub;
    }

    /** A lock that is lost when the future completes. */
    private HeldLock losing(HeldLock lock, CompletableFuture<LockLoss> lost) {
        HeldLock losing = Mockito.mock(HeldLock.class, AdditionalAnswers.delegatesTo(lock));
        Mockito.doReturn(lost).when(losing).lost();
        return losing;
    }

    private static LockLoss loss(HeldLock lock) {
        return new LockLoss(
                LockKey.of("a"),
                LockMode.EXCLUSIVE,
                lock.fencingToken(),
                LockLoss.Reason.EXPIRED,
                Duration.ZERO,
                Duration.ZERO);
    }

    /** The body has begun: whoever cancels now must not be the one who runs it. */
    private LockClient cancelledAsItBegins(Supplier<Runnable> cancellation) {
        return answering(() -> new CompletableFuture<>() {
            {
                complete(client.acquire(client.request("a")));
            }

            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                Thread canceller = new Thread(cancellation.get(), "canceller");
                canceller.start();
                try {
                    canceller.join(20_000);
                } catch (InterruptedException interrupt) {
                    throw new IllegalStateException(interrupt);
                }
                return super.cancel(mayInterruptIfRunning);
            }
        });
    }

    @Test
    void whoCancelsAFutureAsItsBodyBeginsDoesNotRunThatBody() {
        AtomicReference<CompletableFuture<?>> future = new AtomicReference<>();
        LockClient stub = cancelledAsItBegins(() -> () -> {
            await().until(() -> future.get() != null);
            future.get().cancel(true);
        });
        future.set(future(pool, List.of(task(stub, "a", false))));
        await().until(() -> future.get().isDone() && client.held().findAny().isEmpty());
        assertThat(thread.get()).isIn(null, "application");
    }

    @Test
    void whoCancelsASubscriptionAsItsBodyBeginsDoesNotRunThatBody() {
        AtomicReference<CompletableFuture<?>> future = new AtomicReference<>();
        LockClient stub = cancelledAsItBegins(() -> () -> {
            await().until(() -> future.get() != null);
            future.get().cancel(true);
        });
        future.set(mono(pool, List.of(task(stub, "a", false))).toFuture());
        await().until(() -> future.get().isDone() && client.held().findAny().isEmpty());
        assertThat(thread.get()).isIn(null, "application");
    }

    /** Asked to give up, it has already granted. */
    private LockClient grantingAsItIsCancelled() {
        return answering(() -> new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                complete(client.acquire(client.request("b")));
                return false;
            }
        });
    }

    @Test
    void aLossIsReportedAlthoughTheNextLockIsGrantedInThatInstant() throws Exception {
        for (boolean asFuture : new boolean[] {true, false}) {
            HeldLock first = client.acquire(client.request("a"));
            CompletableFuture<LockLoss> lost = new CompletableFuture<>();
            HeldLock losing = losing(first, lost);
            List<LockTask> tasks = List.of(
                    task(answering(() -> CompletableFuture.completedFuture(losing)), "a", true),
                    task(grantingAsItIsCancelled(), "b", false));
            CompletableFuture<?> future =
                    asFuture ? future(pool, tasks) : mono(pool, tasks).toFuture();
            client.forceRelease(LockKey.of("a"), first.fencingToken());
            await().until(() -> !first.isHeld());
            lost.complete(loss(first));
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> future.get(20, TimeUnit.SECONDS))
                    .withCauseInstanceOf(LockLostException.class);
            await().until(() -> client.held().findAny().isEmpty());
            assertThat(thread).hasNullValue();
        }
    }

    @Test
    void aLossIsReportedAlthoughItIsKnownBeforeTheGrant() {
        for (boolean asFuture : new boolean[] {true, false}) {
            HeldLock late = client.acquire(client.request("a"));
            client.forceRelease(LockKey.of("a"), late.fencingToken());
            await().until(() -> late.lost().toCompletableFuture().isDone());
            LockClient stub = answering(() -> CompletableFuture.completedFuture(late));
            List<LockTask> tasks = List.of(task(client, "b", false), task(stub, "a", true));
            CompletableFuture<?> future =
                    asFuture ? future(pool, tasks) : mono(pool, tasks).toFuture();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> future.get(20, TimeUnit.SECONDS))
                    .withCauseInstanceOf(LockLostException.class);
            await().until(() -> client.held().findAny().isEmpty());
            assertThat(thread).hasNullValue();
        }
    }

    /** On the driver's thread, an executor that runs tasks on the submitter's thread would run the body there. */
    @Test
    void theAnswerOfAFenceRunsNothingOfTheApplication() throws Exception {
        Sinks.Empty<Void> answer = Sinks.empty();
        scope.set(new EnclosingScope.ReactiveResolver() {
            @Override
            public Mono<EnclosingScope> current() {
                return Mono.just(EnclosingScope.NONE);
            }

            @Override
            public Mono<Void> fence(Collection<ReferenceCountedLock> locks) {
                return answer.asMono();
            }
        });
        CompletableFuture<?> future =
                mono(Runnable::run, List.of(task(client, "a", false))).toFuture();
        Thread driver = new Thread(answer::tryEmitEmpty, "driver");
        driver.start();
        future.get(20, TimeUnit.SECONDS);
        assertThat(thread.get()).isNotEqualTo("driver");
    }

    @Test
    void anErrorOfTheSecondClientReleasesTheFirstLock() {
        for (boolean asFuture : new boolean[] {true, false}) {
            CompletableFuture<HeldLock> granted = new CompletableFuture<>();
            LockClient broken = answering(() -> {
                throw new NoClassDefFoundError("driver");
            });
            List<LockTask> tasks = List.of(task(answering(() -> granted), "a", false), task(broken, "b", false));
            CompletableFuture<?> future =
                    asFuture ? future(pool, tasks) : mono(pool, tasks).toFuture();
            granted.complete(client.acquire(client.request("a")));
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> future.get(20, TimeUnit.SECONDS))
                    .withCauseInstanceOf(NoClassDefFoundError.class);
            assertThat(client.held()).isEmpty();
        }
    }

    /** As when the work of an inner call and that of the outer one end at the same time, on two threads. */
    @Test
    void noLossIsReportedIfAnotherReferenceIsDroppedInThatInstant() {
        for (boolean waits : new boolean[] {true, false}) {
            AtomicReference<ReferenceCountedLock.Reference> outer = new AtomicReference<>();
            HeldLock lock = client.acquire(client.request("a"));
            HeldLock stub = Mockito.mock(HeldLock.class, AdditionalAnswers.delegatesTo(lock));
            Mockito.doAnswer(call -> {
                        Optional.ofNullable(outer.getAndSet(null)).ifPresent(ReferenceCountedLock.Reference::close);
                        lock.ensureHeld();
                        return null;
                    })
                    .when(stub)
                    .ensureHeld();
            outer.set(ReferenceCountedLock.first(task(client, "a", false), stub));
            ReferenceCountedLock.Reference inner =
                    Objects.requireNonNull(outer.get().target().addReference());
            if (waits) {
                assertThatCode(inner::close).doesNotThrowAnyException();
            } else {
                assertThat(inner.closeAsync()).succeedsWithin(Duration.ofSeconds(20));
            }
            assertThat(client.held()).isEmpty();
        }
    }
}
