package io.distlock.redis.autoconfigure;

import io.distlock.autoconfigure.CommonLockProperties;
import io.distlock.autoconfigure.ConditionalOnLockProvider;
import io.distlock.redis.redlock.RedlockConnections;
import io.distlock.redis.redlock.RedlockOptions;
import io.distlock.redis.redlock.RedlockProvider;
import io.distlock.support.LockRuntime;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Auto-configuration of Redlock locks on dedicated servers. The application's Redis is neither needed nor
 * used. The beans depend on each other in the order in which they must be closed: provider, connections, runtime.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockAutoConfiguration"
        })
@ConditionalOnClass(LettuceConnectionFactory.class)
@ConditionalOnBean(LockRuntime.class)
@ConditionalOnLockProvider(value = "redlock", needs = "distributed-lock.redlock.nodes")
@EnableConfigurationProperties(RedlockProperties.class)
@ImportRuntimeHints(RedisLockAutoConfiguration.NativeImageHints.class)
public final class RedlockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RedlockOptions redlockOptions(RedlockProperties properties, Environment environment) {
        return properties.options(CommonLockProperties.keyPrefix(environment));
    }

    @Bean
    @ConditionalOnMissingBean(RedlockConnectionDetails.class)
    RedlockConnectionDetails redlockConnectionDetails(
            RedlockProperties properties, ObjectProvider<SslBundles> bundles) {
        return properties.connections(bundles.getIfAvailable());
    }

    @Bean
    @ConditionalOnMissingBean
    RedlockConnections redlockConnections(
            LockRuntime runtime, ObjectProvider<RedlockConnectionDetails> details, RedlockOptions options) {
        return RedlockProperties.connect(details.orderedStream().toList(), options);
    }

    @Bean
    @ConditionalOnMissingBean(value = RedlockProvider.class, name = "redlockProvider")
    RedlockProvider redlockProvider(LockRuntime runtime, RedlockConnections connections, RedlockOptions options) {
        return new RedlockProvider(runtime, connections, options);
    }
}
