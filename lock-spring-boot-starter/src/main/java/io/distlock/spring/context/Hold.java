package io.distlock.spring.context;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A lock and all that rely on it: the body that it was taken for, calls inside that body that outlive it, a
 * transaction around it. Given back when the last of them has left. Not for applications. Thread-safe.
 */
public final class Hold {

    private final LockClient client;
    private final HeldLock lock;
    private final AtomicInteger stays = new AtomicInteger(1);

    private Hold(LockClient client, HeldLock lock) {
        this.client = client;
        this.lock = lock;
    }

    /** Over a lock that this client has just granted, and which becomes this hold's to give back. */
    public static Stay begin(LockClient client, HeldLock lock) {
        return new Stay(new Hold(client, lock));
    }

    public LockClient client() {
        return client;
    }

    public HeldLock lock() {
        return lock;
    }

    /** One more that relies on the lock; empty if the last one has left already. */
    public Optional<Stay> enter() {
        int before = stays.getAndUpdate(count -> count == 0 ? 0 : count + 1);
        return before == 0 ? Optional.empty() : Optional.of(new Stay(this));
    }

    /** True for the last one. */
    boolean leave() {
        return stays.decrementAndGet() == 0;
    }

    boolean isNamed(String name) {
        for (LockKey key : lock.keys()) {
            if (key.name().equals(name)) {
                return true;
            }
        }
        return false;
    }
}
