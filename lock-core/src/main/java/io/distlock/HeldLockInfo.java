package io.distlock;

import java.time.Duration;

/**
 * A lock that a client holds, as it was when somebody looked. A lock of several keys is as many of these.
 *
 * @param key what is locked
 * @param mode how
 * @param token the fencing token of the grant
 * @param owner the owner value in the store
 * @param heldFor since the grant
 * @param remaining for how long it is still valid if no renewal comes
 * @param renewals how often it has been extended
 * @param thread the name of the thread that asked for it
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
