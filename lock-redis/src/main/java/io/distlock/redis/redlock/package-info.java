/**
 * Locks on a majority of independent Redis servers. Start at {@link io.distlock.redis.redlock.RedlockProvider}.
 */
@NullMarked
package io.distlock.redis.redlock;

import org.jspecify.annotations.NullMarked;
