package io.distlock.benchmarks.store;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import java.time.Duration;

/** One application of several that want the same lock. */
final class ClientRival implements Rival {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Application application;
    private final LockClient locks;

    ClientRival(Application application) {
        this.application = application;
        this.locks = application.locks();
    }

    @Override
    public Runnable take() {
        HeldLock held = locks.acquire(locks.request("rivals").withWaitTime(PATIENCE));
        return held::release;
    }

    @Override
    public void close() {
        application.close();
    }
}
