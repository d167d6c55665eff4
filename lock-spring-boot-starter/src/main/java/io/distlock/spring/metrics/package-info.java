/** Micrometer metrics for locks. Start at {@link io.distlock.spring.metrics.LockMetrics}. */
@NullMarked
package io.distlock.spring.metrics;

import org.jspecify.annotations.NullMarked;
