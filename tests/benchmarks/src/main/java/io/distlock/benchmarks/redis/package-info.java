/** A single Redis, measured. */
@NullMarked
package io.distlock.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
