package io.distlock.inmemory;

import io.distlock.LockMode;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockScheduler;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The holders of one key and those who wait for it, first come first served. Guarded by the provider's monitor. */
final class KeyState {

    private final List<Holding> holdings = new ArrayList<>();
    private final Set<Waiter> queue = new LinkedHashSet<>();
    private LockScheduler.Scheduled expiryTimer = () -> {};

    void dropExpired(long now) {
        holdings.removeIf(holding -> holding.hasExpired(now));
    }

    boolean admits(LockMode mode) {
        return holdings.isEmpty() || (mode == LockMode.SHARED && isShared());
    }

    boolean isShared() {
        return holdings.stream().allMatch(holding -> holding.lease().mode() == LockMode.SHARED);
    }

    Collection<Holding> holdings() {
        return holdings;
    }

    Set<Waiter> queue() {
        return queue;
    }

    Optional<Holding> heldBy(String owner) {
        return holdings.stream().filter(holding -> holding.belongsTo(owner)).findFirst();
    }

    /** The first in the queue, if its turn has come. */
    Optional<Waiter> next() {
        return queue.stream().findFirst().filter(head -> admits(head.request().mode()));
    }

    boolean admitsAtOnce(LeaseRequest request) {
        return queue.isEmpty() && admits(request.mode());
    }

    OptionalLong nextExpiry() {
        return holdings.stream().mapToLong(Holding::expiresAt).min();
    }

    /** One timer at a time; the newer one knows better. */
    void replaceTimer(LockScheduler.Scheduled timer) {
        expiryTimer.cancel();
        expiryTimer = timer;
    }

    boolean isUnused() {
        return holdings.isEmpty() && queue.isEmpty();
    }
}
