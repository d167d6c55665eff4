/** Finds the nodes of Redlock among the services of Docker Compose, where Spring Boot starts them at development time. */
@NullMarked
package io.distlock.redis.autoconfigure.dockercompose;

import org.jspecify.annotations.NullMarked;
