package io.distlock.inmemory;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.inmemory.InMemoryLockProvider.Waiter;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/** The holders of one key and its queue, first come first served. Guarded by the provider's monitor. */
final class KeyState {

    private final List<Holding> holdings = new ArrayList<>();
    private final Set<Waiter> queue = new LinkedHashSet<>();
    private LockScheduler.Scheduled expiryTimer = () -> {};

    void dropExpired(long now) {
        holdings.removeIf(holding -> now - holding.expiresAt >= 0);
    }

    private boolean admits(LockMode mode) {
        return holdings.isEmpty() || (mode == LockMode.SHARED && isShared());
    }

    private boolean isShared() {
        return holdings.stream().allMatch(holding -> holding.lease.mode() == LockMode.SHARED);
    }

    Lease hold(LeaseRequest request, FencingToken token, long now) {
        InMemoryLease lease =
                new InMemoryLease(request.key(), request.mode(), request.owner(), token, request.renewedTimeToLive());
        holdings.add(new Holding(lease, now + request.timeToLive().toNanos()));
        return lease;
    }

    Set<Waiter> queue() {
        return queue;
    }

    Optional<Holding> heldBy(String owner) {
        return find(lease -> lease.owner().equals(owner));
    }

    Optional<Holding> find(Predicate<Lease> wanted) {
        return holdings.stream()
                .filter(holding -> !holding.kept && wanted.test(holding.lease))
                .findFirst();
    }

    Optional<Holding> release(String owner, long now, Duration keepFor) {
        Optional<Holding> holding = heldBy(owner);
        holding.ifPresent(found -> {
            if (keepFor.compareTo(Duration.ZERO) > 0) {
                found.kept = true;
                found.expiresAt = now + keepFor.toNanos();
            } else {
                holdings.remove(found);
            }
        });
        return holding;
    }

    /** The first in the queue, if its turn has come. */
    Optional<Waiter> next() {
        return queue.stream().findFirst().filter(head -> admits(head.request().mode()));
    }

    boolean admitsAtOnce(LeaseRequest request) {
        return queue.isEmpty() && admits(request.mode());
    }

    OptionalLong nextExpiry() {
        return holdings.stream().mapToLong(holding -> holding.expiresAt).min();
    }

    /** One timer at a time: the new one replaces the old one. */
    void replaceTimer(LockScheduler.Scheduled timer) {
        expiryTimer.cancel();
        expiryTimer = timer;
    }

    boolean isUnused() {
        return holdings.isEmpty() && queue.isEmpty();
    }

    Optional<LockStatus> status(LockKey key, long now) {
        if (holdings.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new LockStatus(
                key,
                isShared() ? LockMode.SHARED : LockMode.EXCLUSIVE,
                holdings.stream().map(holding -> holding.describe(now)).toList(),
                Optional.of(queue.size())));
    }

    /**
     * One grant.
     *
     * @param renewedTimeToLive how long a renewal keeps the key
     */
    record InMemoryLease(LockKey key, LockMode mode, String owner, FencingToken token, Duration renewedTimeToLive)
            implements Lease {}

    /** A grant in the store, with its expiry time. */
    static final class Holding {

        private final InMemoryLease lease;
        private long expiresAt;
        // Released, but its minimum hold time is not over.
        private boolean kept;

        Holding(InMemoryLease lease, long expiresAt) {
            this.lease = lease;
            this.expiresAt = expiresAt;
        }

        InMemoryLease lease() {
            return lease;
        }

        /** Never shortens the remaining time. */
        void extend(long now, Duration timeToLive) {
            expiresAt = Math.max(expiresAt, now + timeToLive.toNanos());
        }

        LockStatus.Holder describe(long now) {
            return new LockStatus.Holder(
                    lease.owner(),
                    Optional.of(lease.token()),
                    Optional.of(Duration.ofNanos(Math.max(0, expiresAt - now))));
        }
    }
}
