package io.distlock.http;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A fence for a receiver with a single instance: it is empty after a restart. Remembers a bounded number of locks. The largest
 * token that it has forgotten is the floor: for an unknown lock, only larger tokens are accepted. This refuses no recent
 * holder, since a provider's tokens grow with time over all its keys. Thread-safe.
 */
final class MemoryFence implements Fence {

    private final int capacity;

    // Guarded by the monitor; least recently used first.
    private final Map<LockKey, Long> newest = new LinkedHashMap<>(16, 0.75f, true);
    private long floor;

    MemoryFence(int capacity) {
        this.capacity = capacity;
    }

    @Override
    public synchronized void advance(Sequencer sequencer) {
        long token = sequencer.token().value();
        Long seen = newest.get(sequencer.key());
        if (seen == null ? token <= floor : token < seen) {
            throw new StaleFencingTokenException(
                    sequencer, "this instance has seen token " + (seen == null ? floor : seen));
        }
        if (sequencer.mode() == LockMode.EXCLUSIVE) {
            newest.put(sequencer.key(), token);
            forgetOne();
        }
    }

    private void forgetOne() {
        if (newest.size() > capacity) {
            var oldest = newest.entrySet().iterator();
            floor = Math.max(floor, oldest.next().getValue());
            oldest.remove();
        }
    }
}
