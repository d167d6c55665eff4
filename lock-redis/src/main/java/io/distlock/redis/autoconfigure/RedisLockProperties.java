package io.distlock.redis.autoconfigure;

import io.distlock.redis.RedisLockOptions;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;

/**
 * Locks on the Redis deployment that {@code spring.data.redis} configures.
 *
 * @param enabled Whether to offer locks on Redis. By default, if distributed-lock.provider is redis or not set.
 * @param callTimeout The longest wait for one call to Redis, 10ms to 60s.
 * @param connectTimeout How long the first calls of a process wait for its first connection, 10ms to 60s.
 * @param replicasToAcknowledge How many replicas must acknowledge a grant or renewal before it counts. 0 for none.
 *     Not with Redis Cluster.
 */
@ConfigurationProperties("distributed-lock.redis")
record RedisLockProperties(
        @Nullable Boolean enabled,
        @DefaultValue("1s") Duration callTimeout,
        @DefaultValue("5s") Duration connectTimeout,
        @DefaultValue("0") int replicasToAcknowledge) {

    RedisLockProperties {
        // Same rules as the options; each violation should name its property.
        RedisLockOptions usual = RedisLockOptions.defaults();
        check("distributed-lock.redis.call-timeout", callTimeout, usual::withCallTimeout);
        check("distributed-lock.redis.connect-timeout", connectTimeout, usual::withConnectTimeout);
        check(
                "distributed-lock.redis.replicas-to-acknowledge",
                replicasToAcknowledge,
                usual::withReplicasToAcknowledge);
    }

    RedisLockOptions options(String keyPrefix) {
        check("distributed-lock.key-prefix", keyPrefix, RedisLockOptions.defaults()::withKeyPrefix);
        return new RedisLockOptions(keyPrefix, callTimeout, connectTimeout, replicasToAcknowledge);
    }

    /**
     * Applies a rule to a property; the failure names both.
     *
     * @param value null if it must not be shown
     */
    static <T extends @Nullable Object, R> R check(String property, T value, Function<? super T, R> rule) {
        try {
            return rule.apply(value);
        } catch (IllegalArgumentException | NoSuchSslBundleException broken) {
            String why = String.valueOf(broken.getMessage());
            // If Boot knew the property's name, it would show its value.
            throw value == null
                    ? new IllegalArgumentException("The property " + property + " cannot be used: " + why, broken)
                    : new InvalidConfigurationPropertyValueException(property, value, why);
        }
    }
}
