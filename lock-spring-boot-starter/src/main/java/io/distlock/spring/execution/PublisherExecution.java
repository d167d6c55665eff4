package io.distlock.spring.execution;

import io.distlock.LockLoss;
import io.distlock.spi.Ticker;
import io.distlock.spring.execution.Executions.Body;
import io.distlock.spring.execution.Executions.Execution;
import io.distlock.spring.execution.NotAcquiredHandler.NotAcquired;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Runs bodies that return a publisher. Each subscription calls the body anew, under a lock of its own: requested on
 * subscription, held until completion, error or cancellation. No thread is blocked. The body is called on the
 * application's executor, where it may block.
 */
record PublisherExecution(
        ReactiveAdapter adapter,
        Optional<EnclosingScope.ReactiveResolver> scopes,
        Supplier<Ticker> ticker,
        BodyExecutor bodies)
        implements Execution {

    /** The state of one subscription, from lock to lock. */
    private record Call(EnclosingScope around, LockSequence locks, Body body, BodyExecutor.Turn turn) {}

    @Override
    public Object run(List<LockTask> tasks, Body body) {
        HeldLocks caller = HeldLocks.reachable();
        Flux<Object> each = Flux.deferContextual(context -> {
            // On the subscriber's thread: grants arrive on other threads.
            BodyExecutor.Turn turn = bodies.forCaller();
            // A subscription inside a locked publisher belongs to it; any other, to the call that made it.
            HeldLocks held = HeldLocks.OfSubscription.current(context).orElse(caller);
            Mono<EnclosingScope> scope = scopes.map(EnclosingScope.ReactiveResolver::current)
                    .orElseGet(() -> Mono.just(EnclosingScope.NONE));
            return scope.flatMapMany(around -> inside(
                            held.aroundNewCall(around.kept()),
                            new Call(around, new LockSequence(tasks, ticker), body, turn)))
                    // Here, since the call's earlier locks have been released.
                    .onErrorResume(
                            NotAcquired.class,
                            failed -> failed.callsApplication()
                                    ? called(new LockSequence(List.of(), ticker), turn, failed::result)
                                    : publisher(failed::result));
        });
        return adapter.fromPublisher(adapter.isMultiValue() ? each : each.singleOrEmpty());
    }

    private Flux<Object> inside(HeldLocks held, Call call) {
        return call.locks().hasNext() ? underNext(held, call) : fenced(call).thenMany(body(held, call));
    }

    /** Here, since it must not wait on the body's thread. */
    private Mono<Void> fenced(Call call) {
        return scopes.map(each -> each.fence(call.locks().taken())).orElseGet(Mono::empty);
    }

    private Flux<Object> underNext(HeldLocks outer, Call call) {
        LockTask task = call.locks().next();
        return Flux.usingWhen(
                // A supplier, evaluated on subscription: nothing can come between it and the cleanup.
                Mono.fromSupplier(() -> AsyncAcquisition.of(task, outer)),
                acquisition ->
                        settled(acquisition).flatMapMany(references -> under(references, acquisition, outer, call)),
                acquisition -> Mono.empty(),
                PublisherExecution::endInto,
                // The lock is not released under a call of the body that is under way.
                acquisition -> Mono.fromRunnable(() -> call.turn().stop().thenRun(acquisition::cancel)));
    }

    private Mono<List<Reference>> settled(AsyncAcquisition acquisition) {
        return Mono.create(sink -> acquisition.whenSettled((references, failure) -> {
            if (references == null) {
                sink.error(Objects.requireNonNull(failure));
            } else {
                sink.success(references);
            }
        }));
    }

    private Flux<Object> under(List<Reference> references, AsyncAcquisition acquisition, HeldLocks outer, Call call) {
        call.locks().granted(references);
        HeldLocks held = outer.with(references);
        Flux<Object> inside = Flux.defer(() -> inside(held, call));
        return (acquisition.cancelsOnLoss(references) ? inside.takeUntilOther(loss(references.get(0))) : inside)
                // Here, not in the cleanup, whose failures come wrapped: completion is signalled after the release.
                // After a loss, the body's method may still be at work.
                .concatWith(Mono.defer(() -> end(call.turn().stop().thenCompose(over -> acquisition.close()))));
    }

    private Flux<Object> body(HeldLocks held, Call call) {
        return called(call.locks(), call.turn(), () -> {
                    call.locks().begin(call.around());
                    return held.call(call.body());
                })
                .contextWrite(context -> HeldLocks.OfSubscription.with(context, held));
    }

    /** A subscription that is cancelled before it gets a thread does not call the body. */
    private Flux<Object> called(LockSequence locks, BodyExecutor.Turn turn, Body body) {
        Mono<Boolean> begun = Mono.create(sink -> {
            turn.begun().whenComplete((now, failure) -> {
                try {
                    if (failure == null) {
                        // Returns when the publisher is subscribed to.
                        sink.success(now);
                    } else if (!(failure instanceof CancellationException)) {
                        sink.error(failure);
                    }
                } finally {
                    turn.end();
                }
            });
            locks.await(turn);
        });
        // Hidden: Reactor would call a Callable without asking whether the subscription was cancelled.
        return begun.flatMapMany(now -> Flux.from(publisher(body)).hide());
    }

    /** What the body returned, or the error it threw. */
    private Publisher<Object> publisher(Body body) {
        try {
            Object returned = body.run();
            if (returned == null) {
                throw new IllegalStateException("a locked method returned null where a publisher was expected");
            }
            return unchecked(adapter.toPublisher(returned));
        } catch (Throwable thrown) {
            return Flux.error(thrown);
        }
    }

    @SuppressWarnings("unchecked") // elements pass through unchanged
    private static Publisher<Object> unchecked(Publisher<?> publisher) {
        return (Publisher<Object>) publisher;
    }

    /**
     * Cancels the work, whose end then reports why. Emits a value: an error would leave the work running. Not on the loss
     * thread: the cancelled work may block.
     */
    private static Mono<LockLoss> loss(Reference reference) {
        return Mono.create(sink -> reference.lock().lost().thenAccept(sink::success));
    }

    private static <T> Mono<T> end(CompletionStage<?> closed) {
        return Mono.fromFuture(closed.toCompletableFuture(), true).then(Mono.empty());
    }

    private static Mono<Void> endInto(AsyncAcquisition acquisition, Throwable failure) {
        return PublisherExecution.<Void>end(acquisition.close()).onErrorResume(loss -> {
            LossExceptions.joined(failure, loss);
            return Mono.empty();
        });
    }
}
