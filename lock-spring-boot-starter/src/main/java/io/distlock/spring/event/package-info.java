/** Publishes each {@link io.distlock.LockEvent} in the application context, except renewals. */
@NullMarked
package io.distlock.spring.event;

import org.jspecify.annotations.NullMarked;
