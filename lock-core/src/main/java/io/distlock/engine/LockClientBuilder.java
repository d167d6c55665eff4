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
 * Makes a {@link LockClient} over a provider. The provider and the runtime stay the caller's, to be closed after
 * the client.
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

    /** What requests start from; {@link LockOptions#defaults()} if not given. */
    public LockClientBuilder options(LockOptions options) {
        this.options = options;
        return this;
    }

    /** How long {@code close()} waits for holders to release; 5 s if not given, zero for not at all. */
    public LockClientBuilder shutdownTimeout(Duration shutdownTimeout) {
        if (shutdownTimeout.isNegative()) {
            throw new IllegalArgumentException("shutdown timeout " + shutdownTimeout + " must not be negative");
        }
        this.shutdownTimeout = shutdownTimeout;
        return this;
    }

    /**
     * A thread for each task: a virtual one from Java 24 on, before it a daemon that is used again. Without a bound, since
     * callbacks may wait for one another.
     */
    public static Executor defaultCallbackExecutor() {
        return CallbackExecutor.own();
    }

    /**
     * Runs foreign code that may block: dependents of futures. {@link #defaultCallbackExecutor()} if not given. Whatever it
     * takes it has to run, on another thread than the one that hands it over (dependents of {@link io.distlock.HeldLock#lost()}
     * would run on the thread for losses, and hold it up); a grant for which it throws is released. Losses are announced
     * without it.
     */
    public LockClientBuilder callbackExecutor(Executor callbackExecutor) {
        this.callbackExecutor = callbackExecutor;
        return this;
    }

    /**
     * Says whose locks these are to people who look into the store, such as {@code orders@web-1.4711}: the owner value of
     * each lock begins with it. Up to 100 letters, digits, and {@code . _ @ -}; what else there is becomes an underscore.
     * Nobody if not given.
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
        return new DefaultLockClient(context, options, shutdownTimeout, callbacks::close);
    }
}
