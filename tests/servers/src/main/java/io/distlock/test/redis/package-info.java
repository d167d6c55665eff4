/**
 * Real Redis servers for tests: one, a replicated pair, a Sentinel set-up or a cluster, and a small client that looks
 * into them.
 */
@NullMarked
package io.distlock.test.redis;

import org.jspecify.annotations.NullMarked;
