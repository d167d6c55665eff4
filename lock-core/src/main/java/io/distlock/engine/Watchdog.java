package io.distlock.engine;

import io.distlock.HeldLockInfo;
import io.distlock.LockLoss;
import io.distlock.Release;
import io.distlock.spi.Lease;
import io.distlock.spi.LockProvider;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.support.DueSet;
import io.distlock.support.LockRuntime;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches all held locks: renews due leases in batches, and detects by the clock alone when validity or
 * maximum hold time runs out, whatever the store answers. Each lock says when it is due. Uses the
 * runtime's thread and one timer. Thread-safe.
 */
final class Watchdog {

    /** A held lock, as the watchdog and the client that keeps it see it. */
    interface WatchedLock extends DueSet.Due {

        Lease lease();

        /** Checks the clock. */
        boolean isHeld();

        /** What is known about it; empty if it is no longer held. */
        Optional<HeldLockInfo> info(long now);

        /** Checks the clock. True if the lock is still held and must be renewed now. */
        boolean wantsRenewal();

        /** Whether a renewal is under way for a lock that is still held. */
        boolean awaitsAnswer();

        /** Applies the store's answer to a renewal that was sent at this time. */
        void answered(Renewal renewal, Moment sent);

        void lose(LockLoss.Reason reason);

        /** Takes it away from its user, who is notified before the store can grant it to another. */
        CompletableFuture<Release> forceRelease();
    }

    private static final Logger log = LoggerFactory.getLogger(Watchdog.class);
    private static final int NAMED = 5;
    private final LockProvider provider;
    private final LockRuntime runtime;
    private final DueSet<WatchedLock> held;
    private final Runnable lookAtAll = this::lookAtAll;

    Watchdog(LockProvider provider, LockRuntime runtime) {
        this.provider = provider;
        this.runtime = runtime;
        this.held = new DueSet<>(runtime.ticker(), runtime.scheduler(), this::round);
        runtime.clockJumps().add(lookAtAll);
    }

    /** Timers do not notice that the machine was suspended. */
    private void lookAtAll() {
        held.members().forEach(WatchedLock::isHeld);
    }

    void add(WatchedLock key) {
        held.add(key);
    }

    /** It is no longer held. */
    void remove(WatchedLock key) {
        held.remove(key);
    }

    void reconsider(WatchedLock key) {
        held.reconsider(key);
    }

    Collection<WatchedLock> held() {
        return held.members();
    }

    /** Declares all locks still held lost; renews nothing afterwards. */
    void abandonAll() {
        runtime.clockJumps().remove(lookAtAll);
        // In the order of their grants.
        List<WatchedLock> abandoned = held.members().stream()
                .sorted(Comparator.comparing(lock -> lock.lease().token()))
                .toList();
        if (abandoned.isEmpty()) {
            return;
        }
        log.warn(
                "The lock client was closed while locks were still held; these count as lost: {}{}",
                abandoned.stream().limit(NAMED).map(key -> key.lease().key()).toList(),
                abandoned.size() > NAMED ? " and " + (abandoned.size() - NAMED) + " more" : "");
        abandoned.forEach(key -> key.lose(LockLoss.Reason.CLIENT_CLOSED));
    }

    private void round(List<WatchedLock> due) {
        renew(due.stream().filter(WatchedLock::wantsRenewal).toList());
    }

    private void renew(List<WatchedLock> due) {
        if (due.isEmpty()) {
            return;
        }
        IdentityHashMap<Lease, WatchedLock> batch = new IdentityHashMap<>();
        due.forEach(key -> batch.put(key.lease(), key));
        Moment sent = runtime.ticker().now();
        try {
            provider.renew(List.copyOf(batch.keySet()), new Answers(batch, sent));
        } catch (RuntimeException | Error failure) {
            log.warn("Renewing {} locks failed; retrying", due.size(), failure);
            if (due.size() == 1) {
                due.get(0).answered(Renewal.UNKNOWN, sent);
            } else {
                // One by one, so that a lease that cannot be renewed does not affect the others.
                due.stream().filter(WatchedLock::awaitsAnswer).forEach(key -> renew(List.of(key)));
            }
        }
    }

    /** The answers to one batch, with the time from before the provider was asked. */
    private record Answers(IdentityHashMap<Lease, WatchedLock> batch, Moment sent) implements Renewal.Answers {

        @Override
        public void answer(Lease lease, Renewal renewal) {
            answer(lease, renewal, sent);
        }

        @Override
        public void renewedSince(Lease lease, Moment since) {
            answer(lease, Renewal.RENEWED, since);
        }

        private void answer(Lease lease, Renewal renewal, Moment since) {
            WatchedLock key = batch.get(lease);
            if (key == null) {
                log.error("The provider answered for a lease it was not asked about: {}", lease);
            } else {
                key.answered(renewal, since);
            }
        }
    }
}
