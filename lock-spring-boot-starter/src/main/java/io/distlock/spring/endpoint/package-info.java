/** The actuator endpoint {@code locks}. Start at {@link io.distlock.spring.endpoint.LocksEndpoint}. */
@NullMarked
package io.distlock.spring.endpoint;

import org.jspecify.annotations.NullMarked;
