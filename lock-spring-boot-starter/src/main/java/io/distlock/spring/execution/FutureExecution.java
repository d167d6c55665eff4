package io.distlock.spring.execution;

import io.distlock.spi.Ticker;
import io.distlock.spring.context.CallContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bodies that return a future. The lock is asked for when the body is called for and held until the body's future has
 * completed; the caller is not blocked. The body is called on a thread of the lock client, on which it may block.
 */
public final class FutureExecution implements Execution {

    private final OuterScopes scopes;
    private final Supplier<Ticker> ticker;

    FutureExecution(OuterScopes scopes, Supplier<Ticker> ticker) {
        this.scopes = scopes;
        this.ticker = ticker;
    }

    /**
     * The future of the body, or of what stands in for it. Completing or cancelling it from outside ends the wait
     * for the lock or cancels the body's future.
     */
    @Override
    public CompletableFuture<@Nullable Object> run(List<LockTask> tasks, CallContext.Body body) {
        CallContext.Body inside = WaitBudget.afterFirst(tasks, ticker, this, body);
        return new FutureCall(tasks.get(0), CallContext.reachable(), scopes.current(), inside).start();
    }
}
