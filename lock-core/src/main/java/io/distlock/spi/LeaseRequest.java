package io.distlock.spi;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import java.time.Duration;

/**
 * One acquisition of one key, as a provider sees it.
 *
 * @param key what to lock
 * @param mode how
 * @param owner who asks: unique to this acquisition, never reused; asking again as the same owner is answered
 *     with the same grant. Visible ASCII without {@code :} and {@code /}
 * @param options lease time, lock-delay and minimum hold time; the wait time has become the deadline
 * @param deadline until when to wait
 * @param progress to be told what the store says as long as the acquisition goes on
 */
public record LeaseRequest(
        LockKey key, LockMode mode, String owner, LockOptions options, Deadline deadline, AcquireProgress progress) {

    /** A request that nobody waits behind. */
    public LeaseRequest(LockKey key, LockMode mode, String owner, LockOptions options, Deadline deadline) {
        this(key, mode, owner, options, deadline, AcquireProgress.UNHEARD);
    }

    /** As {@link LockOptions#timeToLive()}. */
    public Duration timeToLive() {
        return options.timeToLive();
    }

    /** For how long from then a renewal keeps the key; never shortens what it has. */
    public Duration renewedTimeToLive() {
        return options.leaseTime().plus(options.lockDelay());
    }
}
