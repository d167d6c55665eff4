/** The health of the stores of locks. */
@NullMarked
package io.distlock.spring.health;

import org.jspecify.annotations.NullMarked;
