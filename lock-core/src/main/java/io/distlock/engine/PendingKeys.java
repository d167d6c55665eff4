package io.distlock.engine;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Deadline;
import io.distlock.support.DueSet;
import java.time.Duration;
import java.util.Collection;

/** All keys of one client that are waited for. Thread-safe. */
final class PendingKeys {

    private final Engine engine;
    private final DueSet<PendingKey> pending;
    private volatile boolean closed;

    PendingKeys(Engine engine) {
        this.engine = engine;
        this.pending = new DueSet<>(
                engine.ticker(), engine.runtime().scheduler(), overdue -> overdue.forEach(PendingKey::overdue));
    }

    /** Sets out for a key; the result ends by the deadline and one round trip. */
    PendingKey start(LockKey key, LockMode mode, LockOptions options, Deadline deadline, String asker) {
        PendingKey started = new PendingKey(engine, this, key, mode, options, deadline, asker);
        if (closed) {
            started.fail(closed(key));
            return started;
        }
        pending.add(started);
        started.start();
        if (closed) {
            // It may have come too late to be seen by close().
            started.fail(closed(key));
        }
        return started;
    }

    void remove(PendingKey key) {
        pending.remove(key);
    }

    int size() {
        return pending.members().size();
    }

    Collection<PendingKey> members() {
        return pending.members();
    }

    /** Whether whatever is on its way has been failed, or is about to be. */
    boolean isClosed() {
        return closed;
    }

    /** Fails what waits and all that comes later. */
    void close() {
        closed = true;
        pending.members()
                .forEach(key -> key.fail(
                        new LockUnavailableException(key.key(), key.waited(), "the lock client is closed", null)));
    }

    static LockUnavailableException closed(LockKey key) {
        return new LockUnavailableException(key, Duration.ZERO, "the lock client is closed", null);
    }
}
