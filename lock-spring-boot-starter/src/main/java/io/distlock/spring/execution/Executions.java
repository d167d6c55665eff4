package io.distlock.spring.execution;

import io.distlock.spi.Ticker;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.task.TaskDecorator;

/** The executions of an application: one for each way a body's work can end. Thread-safe. */
public final class Executions {

    private final EnclosingScope.Resolver scopes;
    private final Execution blocking;
    private final Execution future;
    private final Optional<EnclosingScope.ReactiveResolver> reactiveScopes;
    private final Supplier<Ticker> ticker;
    private final BodyExecutor bodies;

    /** The suppliers are asked at the first call that needs them. */
    public Executions(
            EnclosingScope.Resolver scopes,
            Optional<EnclosingScope.ReactiveResolver> reactiveScopes,
            Supplier<Ticker> ticker,
            Supplier<? extends Executor> executor,
            Supplier<List<TaskDecorator>> decorators) {
        this.scopes = scopes;
        this.bodies = new BodyExecutor(executor, decorators);
        this.blocking = new BlockingExecution(scopes, ticker);
        this.future = new FutureExecution(scopes, ticker, bodies);
        this.ticker = ticker;
        this.reactiveScopes = reactiveScopes;
    }

    /** Finds the executor of the bodies, or fails. */
    public void requireExecutor() {
        bodies.target();
    }

    /** Whether a resource refuses stale lock holders, in reactive transactions or in others. */
    public boolean isFencing(boolean reactive) {
        return reactive
                ? reactiveScopes.map(EnclosingScope.ReactiveResolver::isFencing).orElse(false)
                : scopes.isFencing();
    }

    /** Reports a problem and its cure if there is no such resource. */
    public void requireFence(boolean reactive, BiConsumer<String, String> problem) {
        if (!isFencing(reactive)) {
            problem.accept(
                    reactive
                            ? "ON requires a resource that fences reactive transactions, but there is none"
                            : "ON requires a resource that fences, but there is none",
                    "Add io.distlock:lock-jdbc-fence and set distributed-lock." + (reactive ? "r2dbc" : "jdbc")
                            + ".fencing.enabled=true, or use another value of fencing");
        }
    }

    /** Throws the problem and its cure if there is no such resource. */
    public void requireFence(boolean reactive) {
        requireFence(reactive, (problem, cure) -> {
            throw new IllegalStateException("fencing " + problem + ". " + cure);
        });
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
