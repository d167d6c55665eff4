package io.distlock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the store knows about a held lock.
 *
 * @param key the lock
 * @param mode how it is held
 * @param holders one if exclusive, one or more if shared
 * @param waiters how many clients wait for it, if the store knows; a client's other calls queue behind its first
 */
public record LockStatus(LockKey key, LockMode mode, List<Holder> holders, Optional<Integer> waiters) {

    public LockStatus {
        holders = List.copyOf(holders);
    }

    /**
     * One holder.
     *
     * @param owner the owner value in the store
     * @param token the fencing token; absent if the client that took the lock has none
     * @param remaining until the store frees the key by itself; absent if it never does
     */
    public record Holder(String owner, Optional<FencingToken> token, Optional<Duration> remaining) {

        /** The application and instance that the owner value begins with, as in {@code orders@web-1.4711~…}, if any. */
        public Optional<String> instance() {
            int end = owner.indexOf('~');
            return end < 1 ? Optional.empty() : Optional.of(owner.substring(0, end));
        }
    }
}
