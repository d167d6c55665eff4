package io.distlock.etcd.autoconfigure;

import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdFence;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.EtcdLockProvider;
import io.distlock.support.LockRuntime;
import io.etcd.jetcd.Client;
import org.springframework.beans.factory.ObjectProvider;
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
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Auto-configuration of locks in etcd, on connections of their own. The beans depend on each other so that they are closed in
 * order: provider, connection, runtime.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockAutoConfiguration"
        })
@ConditionalOnClass(Client.class)
@ConditionalOnBean(LockRuntime.class)
@Conditional(EtcdLockAutoConfiguration.OnEtcdLocks.class)
@EnableConfigurationProperties(EtcdLockProperties.class)
public final class EtcdLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    EtcdLockOptions etcdLockOptions(EtcdLockProperties properties, Environment environment) {
        return properties.options(environment.getProperty("distributed-lock.key-prefix", "lock"));
    }

    @Bean
    @ConditionalOnMissingBean({EtcdConnectionDetails.class, EtcdConnection.class})
    EtcdConnectionDetails etcdConnectionDetails(EtcdLockProperties properties, ObjectProvider<SslBundles> bundles) {
        return properties.connectionDetails(bundles.getIfAvailable());
    }

    @Bean
    @ConditionalOnMissingBean
    EtcdConnection etcdLockConnection(
            LockRuntime runtime,
            ObjectProvider<EtcdConnectionDetails> details,
            ObjectProvider<EtcdClientBuilderCustomizer> customizers,
            EtcdLockProperties properties,
            EtcdLockOptions options) {
        return EtcdConnection.to(
                properties.servers(details.orderedStream().toList()),
                options,
                builder -> customizers.orderedStream().forEach(each -> each.customize(builder)));
    }

    @Bean
    @ConditionalOnMissingBean(value = EtcdLockProvider.class, name = "etcdLockProvider")
    EtcdLockProvider etcdLockProvider(LockRuntime runtime, EtcdConnection connection, EtcdLockOptions options) {
        return new EtcdLockProvider(runtime, connection, options);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(EtcdLockProvider.class)
    EtcdFence etcdFence(EtcdLockProvider provider) {
        return new EtcdFence(provider);
    }

    /** Matches if etcd is the chosen provider, or none is chosen, or it is enabled explicitly. */
    static final class OnEtcdLocks extends SpringBootCondition {

        private static final String PROVIDER = "distributed-lock.provider";
        private static final String ENABLED = "distributed-lock.etcd.enabled";

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Environment environment = context.getEnvironment();
            ConditionMessage.Builder message = ConditionMessage.forCondition("etcd locks");
            BindResult<Boolean> enabled = Binder.get(environment).bind(ENABLED, Boolean.class);
            if (enabled.isBound()) {
                return new ConditionOutcome(enabled.get(), message.because(ENABLED + " is " + enabled.get()));
            }
            String provider = environment.getProperty(PROVIDER, "");
            boolean chosen = provider.isEmpty() || provider.equalsIgnoreCase("etcd");
            return new ConditionOutcome(chosen, message.because(PROVIDER + " is '" + provider + "'"));
        }
    }
}
