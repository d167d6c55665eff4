package io.distlock.redis.autoconfigure;

import io.distlock.autoconfigure.CommonLockProperties;
import io.distlock.autoconfigure.ConditionalOnLockProvider;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.RedisLockProvider;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.support.LockRuntime;
import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Auto-configuration of locks on the Redis that the application's {@link LettuceConnectionFactory} leads to. The beans
 * depend on each other in the order in which they must be closed: provider, connections, runtime.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockAutoConfiguration"
        })
@ConditionalOnClass(LettuceConnectionFactory.class)
@ConditionalOnSingleCandidate(LettuceConnectionFactory.class)
@ConditionalOnBean(LockRuntime.class)
@ConditionalOnLockProvider("redis")
@EnableConfigurationProperties(RedisLockProperties.class)
@ImportRuntimeHints(RedisLockAutoConfiguration.NativeImageHints.class)
public final class RedisLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RedisLockOptions redisLockOptions(RedisLockProperties properties, Environment environment) {
        return properties.options(CommonLockProperties.keyPrefix(environment));
    }

    @Bean
    @ConditionalOnMissingBean
    RedisConnections redisLockConnections(
            LockRuntime runtime, LettuceConnectionFactory connectionFactory, RedisLockOptions options) {
        return RedisConnections.like(connectionFactory, options.callTimeout(), options.connectTimeout());
    }

    @Bean
    @ConditionalOnMissingBean(value = RedisLockProvider.class, name = "redisLockProvider")
    RedisLockProvider redisLockProvider(LockRuntime runtime, RedisConnections connections, RedisLockOptions options) {
        return RedisLockProperties.check(
                "distributed-lock.redis.replicas-to-acknowledge",
                options.replicasToAcknowledge(),
                value -> new RedisLockProvider(runtime, connections, options));
    }

    /** Keeps in a native image the scripts, and the private fields that {@link RedisConnections} reads. */
    static final class NativeImageHints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.resources().registerPattern("io/distlock/redis/**/*.lua");
            hints.reflection()
                    .registerType(LettuceConnectionFactory.class, MemberCategory.ACCESS_DECLARED_FIELDS)
                    .registerType(RedisClient.class, MemberCategory.ACCESS_DECLARED_FIELDS);
        }
    }
}
