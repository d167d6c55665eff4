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
import java.util.Optional;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Bodies that return a publisher. Each subscription calls the body anew, under a lock of its own: asked for on
 * subscription, held until completion, error or cancellation. No thread is blocked. The body is called on a thread of
 * the lock client, on which it may block.
 */
public final class PublisherExecution implements Execution {

    private final ReactiveAdapter adapter;
    private final Mono<OuterScope> scope;
    private final Supplier<Ticker> ticker;

    /** For one type of publishers. */
    PublisherExecution(ReactiveAdapter adapter, Optional<ReactiveOuterScopes> scopes, Supplier<Ticker> ticker) {
        this.adapter = adapter;
        this.ticker = ticker;
        this.scope = scopes.map(ReactiveOuterScopes::current).orElseGet(() -> Mono.just(OuterScope.NONE));
    }

    @Override
    public Object run(List<LockTask> tasks, CallContext.Body body) {
        CallChain caller = CallContext.reachable();
        Flux<Object> each = Flux.deferContextual(context -> {
            CallContext.Body inside = WaitBudget.afterFirst(tasks, ticker, this, body);
            return scope.flatMapMany(around -> subscription(tasks.get(0), chain(context, caller), around, inside));
        });
        return adapter.fromPublisher(adapter.isMultiValue() ? each : each.singleOrEmpty());
    }

    /** A subscription inside a locked publisher is part of it; any other is part of the call that it was made by. */
    private static CallChain chain(ContextView context, CallChain caller) {
        return SubscriberContext.chain(context).orElse(caller);
    }

    private Flux<Object> subscription(LockTask task, CallChain chain, OuterScope around, CallContext.Body body) {
        CallChain outer = chain.within(around.holds());
        return Flux.usingWhen(
                // A supplier, which is asked on subscription: nothing can come between it and the cleanup.
                Mono.fromSupplier(() -> Admission.to(task, outer)),
                admission -> Mono.fromFuture(admission.stay(), true)
                        .doOnNext(stay -> keep(stay, admission, around))
                        .map(stay -> under(stay, admission, task, outer, body))
                        .onErrorResume(Admission::isRefusal, why -> Mono.just(refused(task, why)))
                        .flatMapMany(work -> work),
                admission -> Mono.empty(),
                PublisherExecution::endInto,
                admission -> Mono.fromRunnable(admission::giveUp));
    }

    private static void keep(Stay stay, Admission admission, OuterScope around) {
        if (admission.isOutermost()) {
            around.keep(stay.hold());
        }
    }

    private Flux<Object> under(Stay stay, Admission admission, LockTask task, CallChain outer, CallContext.Body body) {
        CallChain chain = outer.with(stay.hold());
        Flux<Object> work = called(() -> CallContext.under(chain, body))
                .contextWrite(context -> SubscriberContext.with(context, chain));
        boolean watched = admission.isOutermost() && task.onLost() == OnLost.INTERRUPT;
        return (watched ? work.takeUntilOther(loss(stay)) : work)
                // Here and not in the cleanup, whose failures come wrapped: the last value is told after the release.
                .concatWith(Mono.defer(() -> end(admission)));
    }

    private Flux<Object> refused(LockTask task, Throwable why) {
        return called(() -> task.refusal().answer((LockException) why));
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
        return Mono.fromFuture(stay.lock().lost().toCompletableFuture(), true);
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
