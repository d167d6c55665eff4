package io.distlock.spring.execution;

import io.distlock.LockException;
import io.distlock.LockLoss;
import io.distlock.spi.Ticker;
import io.distlock.spring.OnLost;
import io.distlock.spring.context.CallChain;
import io.distlock.spring.context.CallContext;
import io.distlock.spring.context.OuterScope;
import io.distlock.spring.context.Stay;
import io.distlock.spring.context.SubscriberContext;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Bodies that return a publisher. Each subscription calls the body anew, under a lock of its own: asked for on
 * subscription, held until completion, error or cancellation. No thread is blocked. The body is called on a thread of
 * the lock client, or one like it, on which it may block.
 */
public final class PublisherExecution implements Execution {

    /** What a subscription takes along from lock to lock. */
    private record Call(OuterScope around, Grants grants, CallContext.Body body) {}

    private final ReactiveAdapter adapter;
    private final Mono<OuterScope> scope;
    private final Supplier<Ticker> ticker;
    private final Executor bodies;

    /** For one type of publishers. */
    PublisherExecution(
            ReactiveAdapter adapter, Optional<ReactiveOuterScopes> scopes, Supplier<Ticker> ticker, Executor bodies) {
        this.adapter = adapter;
        this.ticker = ticker;
        this.bodies = bodies;
        this.scope = scopes.map(ReactiveOuterScopes::current).orElseGet(() -> Mono.just(OuterScope.NONE));
    }

    @Override
    public Object run(List<LockTask> tasks, CallContext.Body body) {
        CallChain caller = CallContext.reachable();
        Flux<Object> each = Flux.deferContextual(context -> scope.flatMapMany(around -> {
                    CallChain outer = chain(context, caller).within(around.holds());
                    return under(tasks, outer, new Call(around, new Grants(), body));
                }))
                // Here, where the locks that were had before it have been given back.
                .onErrorResume(Refused.class, refused -> called(refused::answer));
        return adapter.fromPublisher(adapter.isMultiValue() ? each : each.singleOrEmpty());
    }

    /** A subscription inside a locked publisher is part of it; any other is part of the call that it was made by. */
    private static CallChain chain(ContextView context, CallChain caller) {
        return SubscriberContext.chain(context).orElse(caller);
    }

    private Flux<Object> under(List<LockTask> tasks, CallChain outer, Call call) {
        LockTask task = tasks.get(0);
        Supplier<List<LockTask>> others = WaitBudget.afterFirst(tasks, ticker);
        return Flux.usingWhen(
                // A supplier, which is asked on subscription: nothing can come between it and the cleanup.
                Mono.fromSupplier(() -> Admission.to(task, outer)),
                admission -> Mono.<Stay>create(sink -> admission.whenSettled(bodies, (stay, failure) -> {
                            if (stay == null) {
                                sink.error(Admission.bare(Objects.requireNonNull(failure)));
                            } else {
                                sink.success(stay);
                            }
                        }))
                        .onErrorMap(Admission::isRefusal, why -> new Refused(task, (LockException) why))
                        .flatMapMany(stay ->
                                under(stay, admission, task, inside(others, outer.with(stay.hold()), call), call)),
                admission -> Mono.empty(),
                PublisherExecution::endInto,
                admission -> Mono.fromRunnable(admission::giveUp));
    }

    private Flux<Object> under(Stay stay, Admission admission, LockTask task, Flux<Object> inside, Call call) {
        if (admission.isOutermost()) {
            call.grants().add(stay.hold());
        }
        boolean watched = admission.isOutermost() && task.onLost() == OnLost.INTERRUPT;
        return (watched ? inside.takeUntilOther(loss(stay)) : inside)
                // Here and not in the cleanup, whose failures come wrapped: the last value is told after the release.
                .concatWith(Mono.defer(() -> end(admission)));
    }

    /** The other locks, or the body once there are none. */
    private Flux<Object> inside(Supplier<List<LockTask>> others, CallChain chain, Call call) {
        return Flux.defer(() -> {
            List<LockTask> left = others.get();
            return left.isEmpty() ? body(chain, call) : under(left, chain, call);
        });
    }

    private Flux<Object> body(CallChain chain, Call call) {
        call.grants().keepIn(call.around());
        return called(() -> CallContext.under(chain, call.body()))
                .contextWrite(context -> SubscriberContext.with(context, chain));
    }

    private Flux<Object> called(CallContext.Body body) {
        return Flux.defer(() -> {
            try {
                Object returned = body.run();
                if (returned == null) {
                    throw new IllegalStateException("a locked method returned null where a publisher was expected");
                }
                return unchecked(adapter.toPublisher(returned));
            } catch (Throwable thrown) {
                return Flux.error(thrown);
            }
        });
    }

    @SuppressWarnings("unchecked") // elements are handed on as they are
    private static Publisher<Object> unchecked(Publisher<?> publisher) {
        return (Publisher<Object>) publisher;
    }

    /** Cancels the work, whose end tells then why. By a value: an error would leave the work running. */
    private static Mono<LockLoss> loss(Stay stay) {
        return Mono.create(sink -> stay.lock().onLost(sink::success));
    }

    private static <T> Mono<T> end(Admission admission) {
        return Mono.fromFuture(admission.end().toCompletableFuture(), true).then(Mono.empty());
    }

    private static Mono<Void> endInto(Admission admission, Throwable failure) {
        return PublisherExecution.<Void>end(admission).onErrorResume(loss -> {
            Losses.suppress(failure, loss);
            return Mono.empty();
        });
    }
}
