/** How the stores of locks are, for health checks. */
@NullMarked
package io.distlock.spring.health;

import org.jspecify.annotations.NullMarked;
