package io.distlock.engine;

import io.distlock.LockClient;
import io.distlock.LockRequest;
import java.util.concurrent.locks.Lock;

/** Makes the {@link Lock} view of any client, for clients that stand around another. */
public final class LockViews {

    private LockViews() {}

    /** As {@link LockClient#asLock} promises, by the client's other methods. */
    public static Lock of(LockClient client, LockRequest request) {
        return new ReentrantLockView(client, request);
    }
}
