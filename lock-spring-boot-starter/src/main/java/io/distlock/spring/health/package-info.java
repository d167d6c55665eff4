/** The health of the lock stores. */
@NullMarked
package io.distlock.spring.health;

import org.jspecify.annotations.NullMarked;
