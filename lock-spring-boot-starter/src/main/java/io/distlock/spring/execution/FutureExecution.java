package io.distlock.spring.execution;

import io.distlock.spring.context.CallContext;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Bodies that return a future. The lock is asked for when the body is called for and held until the body's future has
 * completed; the caller is not blocked. The body is called on a thread of the lock client, on which it may block.
 */
public final class FutureExecution implements Execution {

    private final OuterScopes scopes;

    FutureExecution(OuterScopes scopes) {
        this.scopes = scopes;
    }

    /**
     * The future of the body, or of what stands in for it. Completing or cancelling it from outside ends the wait
     * for the lock or cancels the body's future.
     */
    @Override
    public CompletableFuture<@Nullable Object> run(LockTask task, CallContext.Body body) {
        return new FutureCall(task, CallContext.reachable(), scopes.current(), body).start();
    }
}
