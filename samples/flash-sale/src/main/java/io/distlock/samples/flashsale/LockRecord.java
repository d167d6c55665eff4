package io.distlock.samples.flashsale;

import io.distlock.FencingToken;
import io.distlock.LockEvent;
import io.distlock.LockEvent.Acquired;
import io.distlock.LockEvent.Failed;
import io.distlock.LockEvent.Lost;
import io.distlock.LockEvent.NotAcquired;
import io.distlock.LockEvent.Released;
import io.distlock.LockKey;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** What this instance's client has told about one lock. Thread-safe; never blocks. */
final class LockRecord {

    private final LockKey key;
    private final Queue<Duration> waits = new ConcurrentLinkedQueue<>();
    private final Queue<Duration> holds = new ConcurrentLinkedQueue<>();
    private final AtomicInteger notAcquired = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private volatile Optional<FencingToken> latest = Optional.empty();

    LockRecord(LockKey key) {
        this.key = key;
    }

    LockKey key() {
        return key;
    }

    void add(LockEvent event) {
        if (event instanceof Acquired acquired) {
            latest = Optional.of(acquired.token());
            waits.add(acquired.waited());
        } else if (event instanceof Released released) {
            holds.add(released.heldFor());
        } else if (event instanceof NotAcquired) {
            notAcquired.incrementAndGet();
        } else if (event instanceof Failed || event instanceof Lost) {
            failed.incrementAndGet();
        }
    }

    /** Whether a grant was given to this instance: the token of a grant is nobody else's. */
    boolean isOurs(FencingToken token) {
        return latest.equals(Optional.of(token));
    }

    LockFigures figures() {
        return new LockFigures(waits.size(), notAcquired.get(), failed.get(), Spread.of(waits), Spread.of(holds));
    }
}
