package io.distlock.etcd.autoconfigure;

import io.distlock.autoconfigure.CommonLockProperties;
import io.distlock.autoconfigure.ConditionalOnLockProvider;
import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdFence;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.EtcdLockProvider;
import io.distlock.support.LockRuntime;
import io.etcd.jetcd.Client;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

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
@ConditionalOnLockProvider("etcd")
@EnableConfigurationProperties(EtcdLockProperties.class)
public final class EtcdLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    EtcdLockOptions etcdLockOptions(EtcdLockProperties properties, Environment environment) {
        return properties.options(CommonLockProperties.keyPrefix(environment));
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
}
