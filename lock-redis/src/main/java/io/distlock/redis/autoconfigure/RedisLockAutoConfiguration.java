package io.distlock.redis.autoconfigure;

import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.RedisLockProvider;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.support.LockRuntime;
import io.lettuce.core.RedisClient;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
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
@Conditional(RedisLockAutoConfiguration.OnRedis.class)
@EnableConfigurationProperties(RedisLockProperties.class)
@ImportRuntimeHints(RedisLockAutoConfiguration.NativeImageHints.class)
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

    /** Follows {@code enabled}; if unset, matches if it is chosen, or none is chosen and it could work. */
    static class OnProvider extends SpringBootCondition {

        private static final String CHOSEN = "distributed-lock.provider";

        private final String name;
        private final Predicate<Environment> couldWork;

        OnProvider(String name, Predicate<Environment> couldWork) {
            this.name = name;
            this.couldWork = couldWork;
        }

        @Override
        public final ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Environment environment = context.getEnvironment();
            ConditionMessage.Builder message = ConditionMessage.forCondition("Lock provider '" + name + "'");
            String property = "distributed-lock." + name + ".enabled";
            BindResult<Boolean> enabled = Binder.get(environment).bind(property, Boolean.class);
            if (enabled.isBound()) {
                return new ConditionOutcome(enabled.get(), message.because(property + " is " + enabled.get()));
            }
            String chosen = environment.getProperty(CHOSEN, "");
            boolean matches = chosen.isEmpty() ? couldWork.test(environment) : chosen.equalsIgnoreCase(name);
            String why = chosen.isEmpty() && !matches ? ", no nodes" : "";
            return new ConditionOutcome(matches, message.because(CHOSEN + " is '" + chosen + "'" + why));
        }
    }

    static final class OnRedis extends OnProvider {

        OnRedis() {
            super("redis", environment -> true);
        }
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
