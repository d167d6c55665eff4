package io.distlock.spring.execution;

import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.Ticker;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.springframework.core.ReactiveAdapter;

/** The executions of an application: one for each way in which the work of a body ends. Thread-safe. */
public final class Executions {

    private final Execution blocking;
    private final Execution future;
    private final Optional<EnclosingScope.ReactiveResolver> reactiveScopes;
    private final Supplier<Ticker> ticker;
    private final Executor bodies = LockClientBuilder.defaultCallbackExecutor();

    /**
     * @param ticker measures how long a call has waited for its locks; supplied at the first call
     */
    public Executions(
            EnclosingScope.Resolver scopes,
            Optional<EnclosingScope.ReactiveResolver> reactiveScopes,
            Supplier<Ticker> ticker) {
        this.blocking = new BlockingExecution(scopes, ticker);
        this.future = new FutureExecution(scopes, ticker, bodies);
        this.ticker = ticker;
        this.reactiveScopes = reactiveScopes;
    }

    /** For work that is done when it returns. */
    public Execution blocking() {
        return blocking;
    }

    /** For work that is done when a future completes. */
    public Execution future() {
        return future;
    }

    /** For work that is done when a subscription ends. Needs Reactor. */
    public Execution publisher(ReactiveAdapter adapter) {
        return new PublisherExecution(adapter, reactiveScopes, ticker, bodies);
    }
}
