/** The lock API for Spring applications: start at {@link io.distlock.spring.DistributedLock}. */
@NullMarked
package io.distlock.spring;

import org.jspecify.annotations.NullMarked;
