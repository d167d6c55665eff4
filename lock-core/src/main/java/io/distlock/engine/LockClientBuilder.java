package io.distlock.engine;

import io.distlock.LockClient;
import io.distlock.LockListener;
import io.distlock.LockOptions;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link LockClient} for a provider. The caller closes the provider and the runtime, after the client.
 *
 * <pre>{@code
 * LockClient client = LockClientBuilder.of(provider, runtime).build();
 * }</pre>
 */
public final class LockClientBuilder {

    private final LockProvider provider;
    private final LockRuntime runtime;
    private final List<LockListener> listeners = new ArrayList<>();
    private LockOptions options = LockOptions.defaults();
    private Duration shutdownTimeout = Duration.ofSeconds(5);
    private String instance = "";
    private @Nullable Executor callbackExecutor;

    private LockClientBuilder(LockProvider provider, LockRuntime runtime) {
        this.provider = provider;
        this.runtime = runtime;
    }

    public static LockClientBuilder of(LockProvider provider, LockRuntime runtime) {
        return new LockClientBuilder(provider, runtime);
    }

    /** What requests start from; by default {@link LockOptions#defaults()}. */
    public LockClientBuilder options(LockOptions options) {
        this.options = options;
        return this;
    }

    /** How long {@code close()} waits for holders to release their locks; by default 5 s. */
    public LockClientBuilder shutdownTimeout(Duration shutdownTimeout) {
        if (shutdownTimeout.isNegative()) {
            throw new IllegalArgumentException(
                    "shutdown timeout " + LockOptions.text(shutdownTimeout) + " must not be negative");
        }
        this.shutdownTimeout = shutdownTimeout;
        return this;
    }

    /**
     * One thread per task, unbounded, since callbacks may wait for one another: a virtual thread from Java 24 on,
     * otherwise a cached daemon thread.
     */
    public static Executor defaultCallbackExecutor() {
        return CallbackExecutor.own();
    }

    /**
     * Runs user code that may block: dependents of futures; by default {@link #defaultCallbackExecutor()}. It must run
     * what it accepts, on a thread other than the submitter's, or dependents of {@link io.distlock.HeldLock#lost()} would
     * block the loss thread. If it throws, a grant is released. Losses are announced without it.
     */
    public LockClientBuilder callbackExecutor(Executor callbackExecutor) {
        this.callbackExecutor = callbackExecutor;
        return this;
    }

    /**
     * The prefix of owner values in the store, for diagnostics, such as {@code orders@web-1.4711}; by default
     * empty. Up to 100 letters, digits, and {@code . _ @ -}; other characters become underscores.
     */
    public LockClientBuilder instance(String instance) {
        this.instance = instance;
        return this;
    }

    public LockClientBuilder listener(LockListener listener) {
        listeners.add(listener);
        return this;
    }

    public LockClient build() {
        CallbackExecutor callbacks =
                CallbackExecutor.over(callbackExecutor == null ? defaultCallbackExecutor() : callbackExecutor);
        ClientContext context = new ClientContext(provider, runtime, callbacks, instance);
        listeners.forEach(context.listeners()::add);
        return new DefaultLockClient(context, options, shutdownTimeout);
    }
}
