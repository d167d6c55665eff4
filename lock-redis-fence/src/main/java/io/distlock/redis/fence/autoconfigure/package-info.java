/** Offers the fence to a Spring Boot application. */
@NullMarked
package io.distlock.redis.fence.autoconfigure;

import org.jspecify.annotations.NullMarked;
