/** What a Spring application types to lock: start at {@link io.distlock.spring.DistributedLock}. */
@NullMarked
package io.distlock.spring;

import org.jspecify.annotations.NullMarked;
