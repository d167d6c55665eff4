/**
 * Connections to Redis that suit locks. {@link io.distlock.redis.connection.RedisConnections} is for applications; the
 * rest is public only for the packages of this module.
 */
@NullMarked
package io.distlock.redis.connection;

import org.jspecify.annotations.NullMarked;
