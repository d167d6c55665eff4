package io.distlock;

import java.time.Duration;

/**
 * A snapshot of a lock that a client holds. A lock on several keys has one for each key.
 *
 * @param key what is locked
 * @param mode how
 * @param token the fencing token of the grant
 * @param owner the owner value in the store
 * @param heldFor since the grant
 * @param remaining how long it stays valid without another renewal
 * @param renewals the number of renewals
 * @param thread the name of the requesting thread
 */
public record HeldLockInfo(
        LockKey key,
        LockMode mode,
        FencingToken token,
        String owner,
        Duration heldFor,
        Duration remaining,
        int renewals,
        String thread) {}
