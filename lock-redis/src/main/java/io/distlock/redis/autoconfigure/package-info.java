/** Wires the Redis provider into a Spring Boot application. */
@NullMarked
package io.distlock.redis.autoconfigure;

import org.jspecify.annotations.NullMarked;
