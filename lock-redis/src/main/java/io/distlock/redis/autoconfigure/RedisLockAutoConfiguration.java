package io.distlock.redis.autoconfigure;

import io.distlock.redis.RedisConnections;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.RedisLockProvider;
import io.distlock.support.LockRuntime;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Auto-configuration of locks on the Redis that the application's {@link LettuceConnectionFactory} leads to. The beans
 * depend on each other in the order in which they have to be closed: provider, connections, runtime.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockRuntimeAutoConfiguration"
        })
@ConditionalOnClass(LettuceConnectionFactory.class)
@ConditionalOnSingleCandidate(LettuceConnectionFactory.class)
@ConditionalOnBean(LockRuntime.class)
@Conditional(OnRedisLocks.class)
@EnableConfigurationProperties(RedisLockProperties.class)
@ImportRuntimeHints(RedisLockHints.class)
public final class RedisLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RedisLockOptions redisLockOptions(RedisLockProperties properties, Environment environment) {
        return properties.options(environment.getProperty("distributed-lock.key-prefix", "lock"));
    }

    @Bean
    @ConditionalOnMissingBean
    RedisConnections redisLockConnections(
            LockRuntime runtime, LettuceConnectionFactory connectionFactory, RedisLockOptions options) {
        return RedisConnections.like(connectionFactory, options);
    }

    @Bean
    @ConditionalOnMissingBean(value = RedisLockProvider.class, name = "redisLockProvider")
    RedisLockProvider redisLockProvider(LockRuntime runtime, RedisConnections connections, RedisLockOptions options) {
        return new RedisLockProvider(runtime, connections, options);
    }
}
