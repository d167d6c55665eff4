/** A fence in Redis: writes of a lock's stale holders are refused, whatever store the locks are in. */
@NullMarked
package io.distlock.redis.fence;

import org.jspecify.annotations.NullMarked;
