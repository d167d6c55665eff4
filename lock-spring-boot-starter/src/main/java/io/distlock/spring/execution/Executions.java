package io.distlock.spring.execution;

import java.util.Optional;
import org.springframework.core.ReactiveAdapter;

/** The ways to run bodies under locks, as this application is set up. Thread-safe. */
public final class Executions {

    private final BlockingExecution blocking;
    private final FutureExecution future;
    private final Optional<ReactiveOuterScopes> reactiveScopes;

    /** With what may be around calls and subscriptions. */
    public Executions(OuterScopes scopes, Optional<ReactiveOuterScopes> reactiveScopes) {
        this.blocking = new BlockingExecution(scopes);
        this.future = new FutureExecution(scopes);
        this.reactiveScopes = reactiveScopes;
    }

    /** For work that is done when it returns. */
    public BlockingExecution blocking() {
        return blocking;
    }

    /** For work that is done when a future completes. */
    public FutureExecution future() {
        return future;
    }

    /** For work that is done when a subscription ends. Needs Reactor. */
    public PublisherExecution publisher(ReactiveAdapter adapter) {
        return new PublisherExecution(adapter, reactiveScopes);
    }
}
