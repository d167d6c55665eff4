package io.distlock.http;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A fence for a receiver with a single instance: it is empty after a restart. Remembers a bounded number of locks. The largest
 * token that it has forgotten is the floor: for an unknown lock, only larger tokens are accepted, or those that the lock store
 * confirms. This question is rare, since a provider's tokens grow with time over all its keys. Thread-safe.
 */
final class MemoryFence implements Fence {

    private final int capacity;
    private final Predicate<Sequencer> store;

    // Guarded by the monitor; least recently used first.
    private final Map<LockKey, Long> newest = new LinkedHashMap<>(16, 0.75f, true);
    private long floor;

    /**
     * @param store whether a grant is current; asked about one that this has perhaps forgotten
     */
    MemoryFence(int capacity, Predicate<Sequencer> store) {
        this.capacity = capacity;
        this.store = store;
    }

    @Override
    public void advance(Sequencer sequencer) {
        advance(sequencer, false).ifPresent(doubt -> {
            // Not under the monitor.
            if (!store.test(sequencer)) {
                throw doubt;
            }
            advance(sequencer, true);
        });
    }

    /** Returns the refusal of a lock that has perhaps been forgotten, unless it is confirmed. */
    private synchronized Optional<StaleFencingTokenException> advance(Sequencer sequencer, boolean confirmed) {
        long token = sequencer.token().value();
        Long seen = newest.get(sequencer.key());
        if (seen == null && token <= floor && !confirmed) {
            return Optional.of(stale(sequencer, floor));
        }
        if (seen != null && token < seen) {
            throw stale(sequencer, seen);
        }
        if (sequencer.mode() == LockMode.EXCLUSIVE) {
            newest.put(sequencer.key(), token);
            forgetOne();
        }
        return Optional.empty();
    }

    private static StaleFencingTokenException stale(Sequencer sequencer, long seen) {
        return new StaleFencingTokenException(sequencer, "this instance has seen token " + seen);
    }

    private void forgetOne() {
        if (newest.size() > capacity) {
            var oldest = newest.entrySet().iterator();
            floor = Math.max(floor, oldest.next().getValue());
            oldest.remove();
        }
    }
}
