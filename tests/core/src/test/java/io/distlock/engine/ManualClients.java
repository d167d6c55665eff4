package io.distlock.engine;

import io.distlock.LockClient;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import java.util.concurrent.Executor;

/** Clients without threads of their own, for tests of what is built on them. */
public final class ManualClients {

    private ManualClients() {}

    /** Announces losses where they arise, and runs everything else on the executor. */
    public static LockClient of(LockProvider provider, LockRuntime runtime, Executor callbacks, String instance) {
        return ManualEngine.client(new ClientContext(
                provider, runtime, new CallbackExecutor(callbacks, Runnable::run, () -> {}), instance));
    }
}
