package io.distlock.spring.execution;

import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.Ticker;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.springframework.core.ReactiveAdapter;

/** The ways to run bodies under locks, as this application is set up. Thread-safe. */
public final class Executions {

    private final BlockingExecution blocking;
    private final FutureExecution future;
    private final Optional<ReactiveOuterScopes> reactiveScopes;
    private final Supplier<Ticker> ticker;
    private final Executor bodies = LockClientBuilder.defaultCallbackExecutor();

    /**
     * With what may be around calls and subscriptions.
     *
     * @param ticker measures how long a call has waited for its locks; not asked for before the first call
     */
    public Executions(OuterScopes scopes, Optional<ReactiveOuterScopes> reactiveScopes, Supplier<Ticker> ticker) {
        this.blocking = new BlockingExecution(scopes, ticker);
        this.future = new FutureExecution(scopes, ticker, bodies);
        this.ticker = ticker;
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
        return new PublisherExecution(adapter, reactiveScopes, ticker, bodies);
    }
}
