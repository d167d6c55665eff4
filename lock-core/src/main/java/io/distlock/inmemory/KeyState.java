package io.distlock.inmemory;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.spi.Lease;
import io.distlock.support.TryLockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The holders of one key and, with what wakes them, those that wait for it, first come first served. Not thread-safe: the
 * provider's monitor guards it.
 */
final class KeyState {

    final List<Holding> holdings = new ArrayList<>();
    final Map<TryLockStore, Runnable> queue = new LinkedHashMap<>();

    // One thread at a time wakes the first waiter, and does so again if the key has changed meanwhile.
    private boolean waking;
    private boolean changed;

    record InMemoryLease(LockKey key, LockMode mode, String owner, FencingToken token, Duration renewedTimeToLive)
            implements Lease {}

    /** A grant in the store. */
    static final class Holding {

        final InMemoryLease lease;
        long expiresAt;
        // Released, but its minimum hold time is not over.
        boolean kept;

        Holding(InMemoryLease lease, long expiresAt) {
            this.lease = lease;
            this.expiresAt = expiresAt;
        }
    }

    /** Whether it is the contender's turn, and the holders allow it. */
    boolean admits(TryLockStore contender, LockMode mode) {
        return (queue.isEmpty() || queue.keySet().iterator().next() == contender)
                && (holdings.isEmpty() || (mode == LockMode.SHARED && isShared()));
    }

    boolean isShared() {
        return holdings.stream().allMatch(holding -> holding.lease.mode() == LockMode.SHARED);
    }

    /** A grant that was not given back. */
    Optional<Holding> find(Predicate<Lease> wanted) {
        return holdings.stream()
                .filter(holding -> !holding.kept && wanted.test(holding.lease))
                .findFirst();
    }

    /**
     * The waiter that the calling thread has to wake; none if another thread is at it.
     *
     * @param change whether the key has changed; otherwise the calling thread has woken the one before
     */
    Optional<Map.Entry<TryLockStore, Runnable>> toWake(boolean change) {
        changed |= change;
        if (change && waking) {
            return Optional.empty();
        }
        waking = changed && !queue.isEmpty();
        changed = false;
        return waking ? queue.entrySet().stream().findFirst().map(Map.Entry::copyOf) : Optional.empty();
    }

    boolean isUnused() {
        return holdings.isEmpty() && queue.isEmpty() && !waking;
    }
}
