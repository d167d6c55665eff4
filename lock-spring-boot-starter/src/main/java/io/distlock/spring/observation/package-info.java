/** Observations of locks, for traces. Start at {@link io.distlock.spring.observation.LockObservations}. */
@NullMarked
package io.distlock.spring.observation;

import org.jspecify.annotations.NullMarked;
