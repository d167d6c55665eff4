package io.distlock;

import java.io.Serializable;
import java.time.Duration;

/**
 * The loss of a lock that was held.
 *
 * @param key the lock
 * @param mode how it was held
 * @param token the token of the lost grant
 * @param reason why it is gone
 * @param heldFor from the grant to the loss
 * @param sinceRenewal from when the last renewal that was confirmed, or the request that was granted, left this machine
 */
public record LockLoss(
        LockKey key, LockMode mode, FencingToken token, LossReason reason, Duration heldFor, Duration sinceRenewal)
        implements Serializable {}
