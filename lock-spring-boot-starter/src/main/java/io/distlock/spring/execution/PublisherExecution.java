package io.distlock.spring.execution;

import io.distlock.LockLoss;
import io.distlock.spi.Ticker;
import io.distlock.spring.execution.Execution.Body;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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

    @Override
    public Object run(List<LockTask> tasks, Body body) {
        HeldLocks caller = HeldLocks.reachable();
        Flux<Object> each = Flux.deferContextual(context -> {
            // On the subscriber's thread: grants arrive on other threads.
            AsyncCall call = new AsyncCall(
                    new LockSequence(tasks, ticker),
                    body,
                    bodies,
                    locks -> scopes.map(all -> all.fence(locks))
                            .orElseGet(Mono::empty)
                            .contextWrite(context)
                            .toFuture());
            // A subscription inside a locked publisher belongs to it; any other, to the call that made it.
            HeldLocks held = context.<HeldLocks>getOrEmpty(HeldLocks.class).orElse(caller);
            Mono<EnclosingScope> scope = scopes.map(EnclosingScope.ReactiveResolver::current)
                    .orElseGet(() -> Mono.just(EnclosingScope.NONE));
            return scope.flatMapMany(around -> Flux.usingWhen(
                    Mono.just(call),
                    started -> worked(call, around, held.aroundNewCall(around.kept())),
                    done -> Mono.empty(),
                    PublisherExecution::endInto,
                    // The locks are not released under a call of the body that is under way.
                    cancelled -> Mono.fromRunnable(() -> call.stop().thenRun(() -> call.close(null, end -> {})))));
        });
        return adapter.fromPublisher(adapter.isMultiValue() ? each : each.singleOrEmpty());
    }

    private Flux<Object> worked(AsyncCall call, EnclosingScope scope, HeldLocks outer) {
        Mono<AsyncCall.Work> begun = Mono.create(sink -> call.start(scope, outer, (work, failure) -> {
            if (work != null) {
                // Returns when the publisher is subscribed to.
                sink.success(work);
            } else if (!call.isStopped()) {
                sink.error(Objects.requireNonNull(failure));
            }
        }));
        // Emits a value: an error would leave the work running, whose end then reports why.
        Mono<LockLoss> loss = Mono.create(sink -> call.loss().thenAccept(sink::success));
        return begun.flatMapMany(this::published)
                .takeUntilOther(loss)
                // Of work that is cancelled for a loss: the loss is the reason.
                .onErrorResume(failure -> call.isLost(), failure -> Mono.empty())
                // Here, not in the cleanup, whose failures come wrapped: completion is signalled after the release.
                // After a loss, the body's method may still be at work.
                .concatWith(Mono.defer(() -> Mono.fromFuture(call.stop(), true).then(ended(call))));
    }

    private Flux<Object> published(AsyncCall.Work work) {
        // Hidden: Reactor would call a Callable without asking whether the subscription was cancelled.
        return Flux.from(publisher(work.body()))
                .hide()
                .contextWrite(context -> context.put(HeldLocks.class, work.inside()));
    }

    /** What the body returned, or the error it threw. */
    private Publisher<Object> publisher(Body body) {
        try {
            Object returned = body.run();
            if (returned == null) {
                throw new IllegalStateException("a locked method returned null where a publisher was expected");
            }
            return adapter.toPublisher(returned);
        } catch (Throwable thrown) {
            return Flux.error(thrown);
        }
    }

    private static Mono<Object> ended(AsyncCall call) {
        return Mono.create(sink -> call.close(null, loss -> {
            if (loss == null) {
                sink.success();
            } else {
                sink.error(loss);
            }
        }));
    }

    private static Mono<Void> endInto(AsyncCall call, Throwable failure) {
        return Mono.create(sink -> call.close(failure, joined -> sink.success()));
    }
}
