package io.distlock.redis.fence.autoconfigure;

import io.distlock.LockClient;
import io.distlock.LockOptions;
import io.distlock.autoconfigure.CommonLockProperties;
import io.distlock.redis.fence.RedisFence;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Auto-configuration of a {@link RedisFence} in the application's Redis, for the locks of any provider. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockAutoConfiguration"
        })
@ConditionalOnProperty("distributed-lock.redis.fencing.enabled")
@ConditionalOnSingleCandidate(RedisConnectionFactory.class)
@ConditionalOnBean(LockClient.class)
@EnableConfigurationProperties(RedisFenceAutoConfiguration.Properties.class)
@ImportRuntimeHints(RedisFenceAutoConfiguration.ScriptHints.class)
public final class RedisFenceAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RedisFence redisFence(
            RedisConnectionFactory connectionFactory,
            LockClient client,
            Properties properties,
            Environment environment) {
        return new RedisFence(
                connectionFactory,
                properties.options(
                        client.provider(),
                        CommonLockProperties.keyPrefix(environment),
                        CommonLockProperties.maxHoldTime(environment)));
    }

    /**
     * A fence in Redis.
     *
     * @param enabled Whether to offer a fence for data in Redis.
     * @param keyPrefix Prefix of the fence's keys.
     * @param retention How long the newest token of a lock is kept after its last use. At least twice
     *     distributed-lock.max-hold-time.
     */
    @ConfigurationProperties("distributed-lock.redis.fencing")
    record Properties(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("fence") String keyPrefix,
            @DefaultValue("7d") Duration retention) {

        Properties {
            check("key-prefix", keyPrefix, () -> new RedisFence.Options("", "", keyPrefix, Duration.ofDays(1)));
        }

        RedisFence.Options options(String provider, String lockPrefix, Duration maxHold) {
            return check("retention", retention, () -> {
                if (retention.compareTo(maxHold.multipliedBy(2)) < 0) {
                    throw new IllegalArgumentException(
                            "It must be at least twice distributed-lock.max-hold-time, which is "
                                    + LockOptions.text(maxHold)
                                    + ": the fence of a lock that is still held could expire.");
                }
                return new RedisFence.Options(provider, lockPrefix, keyPrefix, retention);
            });
        }

        /** Applies a rule to a property; the failure names both. */
        private static RedisFence.Options check(String property, Object value, Supplier<RedisFence.Options> rule) {
            try {
                return rule.get();
            } catch (IllegalArgumentException broken) {
                throw new InvalidConfigurationPropertyValueException(
                        "distributed-lock.redis.fencing." + property, value, String.valueOf(broken.getMessage()));
            }
        }
    }

    /** Keeps the scripts in a native image. */
    static final class ScriptHints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.resources().registerPattern("io/distlock/redis/fence/*.lua");
        }
    }
}
