/** Finds the nodes of Redlock in containers that a test has started. */
@NullMarked
package io.distlock.redis.autoconfigure.testcontainers;

import org.jspecify.annotations.NullMarked;
