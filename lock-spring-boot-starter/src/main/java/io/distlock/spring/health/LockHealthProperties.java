package io.distlock.spring.health;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Health of the stores.
 *
 * @param degradedStatus Health status of a store that works but should be repaired: a Redlock that cannot tolerate the
 *     failure of one more node, a Redis that may evict locks.
 */
@ConfigurationProperties("distributed-lock.health")
record LockHealthProperties(@DefaultValue("UP") String degradedStatus) {}
