/** Lock events in the application context. Start at {@link io.distlock.spring.event.LockEventPublisher}. */
@NullMarked
package io.distlock.spring.event;

import org.jspecify.annotations.NullMarked;
