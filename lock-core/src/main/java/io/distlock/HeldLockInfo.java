package io.distlock;

import java.time.Duration;
import java.time.Instant;

/**
 * A snapshot of a lock that a client holds. A lock on several keys has one for each key.
 *
 * @param key what is locked; of a permit, {@link LockKey#permit(int)}
 * @param permit which of the requested permits; 1 if none were requested
 * @param mode how
 * @param token the fencing token of the grant
 * @param owner the owner value in the store
 * @param since when it was granted, by this machine's clock at that time
 * @param heldFor since the grant, by the monotonic clock
 * @param remaining how long it stays valid without another renewal
 * @param renewals the number of renewals
 * @param thread the name of the requesting thread
 */
public record HeldLockInfo(
        LockKey key,
        int permit,
        LockMode mode,
        FencingToken token,
        String owner,
        Instant since,
        Duration heldFor,
        Duration remaining,
        int renewals,
        String thread) {}
