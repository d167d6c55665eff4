package io.distlock.etcd.autoconfigure;

import io.distlock.etcd.EtcdConnection;
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
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of locks in etcd: on the application's own jetcd {@link Client} if it has one, otherwise on
 * connections of the locks' own. The beans depend on each other in the order in which they have to be closed: provider,
 * connection, runtime.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockRuntimeAutoConfiguration"
        })
@ConditionalOnClass(Client.class)
@ConditionalOnBean(LockRuntime.class)
@Conditional(OnEtcdLocks.class)
@EnableConfigurationProperties(EtcdLockProperties.class)
public final class EtcdLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    EtcdLockOptions etcdLockOptions(EtcdLockProperties properties, Environment environment) {
        return properties.options(environment.getProperty("distributed-lock.key-prefix", "lock"));
    }

    @Bean
    @ConditionalOnMissingBean({EtcdConnectionDetails.class, Client.class, EtcdConnection.class})
    PropertiesEtcdConnectionDetails etcdConnectionDetails(
            EtcdLockProperties properties, ObjectProvider<SslBundles> bundles) {
        return new PropertiesEtcdConnectionDetails(properties, bundles.getIfAvailable());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(Client.class)
    EtcdConnection etcdLockConnectionOfTheApplication(LockRuntime runtime, Client client) {
        return EtcdConnection.of(client);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(EtcdConnectionDetails.class)
    EtcdConnection etcdLockConnection(
            LockRuntime runtime,
            ObjectProvider<EtcdConnectionDetails> details,
            EtcdLockProperties properties,
            EtcdLockOptions options) {
        return EtcdConnection.to(ServersOf.servers(details.orderedStream().toList(), properties), options);
    }

    @Bean
    @ConditionalOnMissingBean(value = EtcdLockProvider.class, name = "etcdLockProvider")
    EtcdLockProvider etcdLockProvider(LockRuntime runtime, EtcdConnection connection, EtcdLockOptions options) {
        return new EtcdLockProvider(runtime, connection, options);
    }
}
