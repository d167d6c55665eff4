package io.distlock.http;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A fence for a receiver with a single instance: it is empty after a restart. Remembers a number of locks, and beyond it those
 * that were used in the last day. The largest token that it has forgotten is the floor: for an unknown lock, only larger tokens
 * are accepted. Since a provider's tokens grow with time over all its keys, this refuses no holder whose lock was granted in the
 * last day. Thread-safe.
 */
final class MemoryFence implements Fence {

    /** Longer than locks are held. */
    private static final long RETENTION_NANOS = Duration.ofDays(1).toNanos();

    /** The newest token of a lock, and when it was last used. */
    private record Newest(long token, long usedNanos) {}

    private final int capacity;
    private final Ticker clock;

    // Guarded by the monitor; least recently used first.
    private final Map<LockKey, Newest> locks = new LinkedHashMap<>();
    private long floor;

    MemoryFence(int capacity, Ticker clock) {
        this.capacity = capacity;
        this.clock = clock;
    }

    @Override
    public synchronized void advance(Sequencer sequencer) {
        long token = sequencer.token().value();
        Newest newest = locks.get(sequencer.key());
        if (newest == null ? token <= floor : token < newest.token()) {
            throw new StaleFencingTokenException(
                    sequencer, "this instance has seen token " + (newest == null ? floor : newest.token()));
        }
        if (sequencer.mode() == LockMode.EXCLUSIVE) {
            locks.remove(sequencer.key());
            locks.put(sequencer.key(), new Newest(token, clock.nanos()));
            forgetUnused();
        }
    }

    private void forgetUnused() {
        Iterator<Newest> leastRecentlyUsed = locks.values().iterator();
        while (locks.size() > capacity) {
            Newest each = leastRecentlyUsed.next();
            if (clock.nanos() - each.usedNanos() < RETENTION_NANOS) {
                return;
            }
            floor = Math.max(floor, each.token());
            leastRecentlyUsed.remove();
        }
    }
}
