/**
 * Locks on one Redis deployment: standalone, Sentinel or Cluster. Start at
 * {@link io.distlock.redis.RedisLockProvider}.
 */
@NullMarked
package io.distlock.redis;

import org.jspecify.annotations.NullMarked;
