package io.distlock.benchmarks.store;

import io.distlock.LockClient;

/** Our own way, as an application goes it: a request for each cycle, and try-with-resources. */
public final class ClientContestant implements Contestant {

    private final Application application;
    private final LockClient locks;

    /** Over an application, which is closed with this. */
    public ClientContestant(Application application) {
        this.application = application;
        this.locks = application.locks();
    }

    @Override
    public String name() {
        return "distlock";
    }

    @Override
    public void cycle(int item) {
        locks.acquire(locks.request("bench", Integer.toString(item))).close();
    }

    /** The application underneath. */
    public Application application() {
        return application;
    }

    @Override
    public void close() {
        application.close();
    }
}
