package io.distlock.spring.execution;

import io.distlock.spi.Ticker;
import io.distlock.spring.context.CallChain;
import io.distlock.spring.context.CallContext;
import io.distlock.spring.context.OuterScope;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bodies that return a future. The lock is asked for when the body is called for and held until the body's future has
 * completed; the caller is not blocked. The body is called on a thread of the lock client, or one like it, on which it may
 * block.
 */
public final class FutureExecution implements Execution {

    private final OuterScopes scopes;
    private final Supplier<Ticker> ticker;
    private final Executor bodies;

    FutureExecution(OuterScopes scopes, Supplier<Ticker> ticker, Executor bodies) {
        this.scopes = scopes;
        this.ticker = ticker;
        this.bodies = bodies;
    }

    /**
     * The future of the body, or of what stands in for it. Completing or cancelling it from outside ends the wait
     * for the lock or cancels the body's future.
     */
    @Override
    public CompletableFuture<@Nullable Object> run(List<LockTask> tasks, CallContext.Body body) {
        // Looked for here, where the caller is: the grants come on other threads.
        OuterScope scope = scopes.current();
        Grants grants = new Grants();
        return answered(under(tasks, CallContext.reachable(), grants, chain -> {
            grants.keepIn(scope);
            return CallContext.under(chain, body);
        }));
    }

    private CompletableFuture<@Nullable Object> under(
            List<LockTask> tasks, CallChain outer, Grants grants, FutureCall.Inside body) {
        Supplier<List<LockTask>> others = WaitBudget.afterFirst(tasks, ticker);
        return new FutureCall(tasks.get(0), outer, grants, chain -> {
                    List<LockTask> left = others.get();
                    return left.isEmpty() ? body.start(chain) : under(left, chain, grants, body);
                })
                .start(bodies);
    }

    /** A refusal is answered here, where the locks that were had before it have been given back. */
    private static CompletableFuture<@Nullable Object> answered(CompletableFuture<@Nullable Object> locked) {
        Promise promise = new Promise();
        locked.whenComplete((value, failure) -> {
            if (failure instanceof Refused refused) {
                answer(refused, promise);
            } else {
                promise.settle(value, failure);
            }
        });
        promise.cancelWithThis(locked);
        return promise.future();
    }

    private static void answer(Refused refused, Promise promise) {
        try {
            promise.started(refused.answer()).whenComplete(promise::settle);
        } catch (Throwable thrown) {
            promise.settle(null, thrown);
        }
    }
}
