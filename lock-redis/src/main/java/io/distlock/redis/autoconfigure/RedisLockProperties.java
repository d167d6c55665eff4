package io.distlock.redis.autoconfigure;

import io.distlock.redis.RedisLockOptions;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Locks on one Redis deployment, the one set by {@code spring.data.redis}.
 *
 * @param enabled Whether to offer locks on Redis. By default, if distributed-lock.provider is redis or not set.
 * @param commandTimeout The longest wait for one call to Redis, 10ms to 60s.
 * @param connectTimeout The longest that a connection for locks may take to open, 10ms to 60s.
 * @param replicasToAcknowledge How many replicas must have a lock or renewal before it counts. 0 for none.
 *     Not with Redis Cluster.
 */
@ConfigurationProperties("distributed-lock.redis")
record RedisLockProperties(
        @Nullable Boolean enabled,
        @DefaultValue("1s") Duration commandTimeout,
        @DefaultValue("2s") Duration connectTimeout,
        @DefaultValue("0") int replicasToAcknowledge,
        @DefaultValue RestartGuard restartGuard) {

    RedisLockProperties {
        // Same rules as the options; violations should surface while properties are bound.
        new RedisLockOptions("lock", commandTimeout, connectTimeout, replicasToAcknowledge, Optional.empty());
    }

    /**
     * What to do about a Redis that was restarted or replaced.
     *
     * @param enabled Whether a Redis that is new to this application grants no locks for a while, because it may have
     *     forgotten earlier ones. Needs Redis 7; not with Redis Cluster.
     * @param quarantine How long it grants no locks. At least the longest lease time plus lock-delay, or minimum hold
     *     time, of any lock; the same in all applications.
     */
    record RestartGuard(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("60s") Duration quarantine) {

        RestartGuard {
            RedisLockOptions.defaults().withRestartGuard(quarantine);
        }
    }

    RedisLockOptions options(String keyPrefix) {
        Optional<Duration> quarantine = Optional.of(restartGuard.quarantine()).filter(time -> restartGuard.enabled());
        return new RedisLockOptions(keyPrefix, commandTimeout, connectTimeout, replicasToAcknowledge, quarantine);
    }
}
