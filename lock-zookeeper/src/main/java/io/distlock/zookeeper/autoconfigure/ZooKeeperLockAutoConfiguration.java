package io.distlock.zookeeper.autoconfigure;

import io.distlock.autoconfigure.CommonLockProperties;
import io.distlock.autoconfigure.ConditionalOnLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.zookeeper.ZooKeeperLockOptions;
import io.distlock.zookeeper.ZooKeeperLockProvider;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of locks in ZooKeeper, in sessions of their own. The provider depends on the runtime and on
 * the files of TLS, so that it is closed first.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockAutoConfiguration"
        })
@ConditionalOnClass(CuratorFrameworkFactory.class)
@ConditionalOnBean(LockRuntime.class)
@ConditionalOnLockProvider("zookeeper")
@EnableConfigurationProperties(ZooKeeperLockProperties.class)
public final class ZooKeeperLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ZooKeeperLockOptions zooKeeperLockOptions(ZooKeeperLockProperties properties, Environment environment) {
        return properties.options(CommonLockProperties.keyPrefix(environment));
    }

    @Bean
    @ConditionalOnMissingBean
    ZooKeeperConnectionDetails zooKeeperConnectionDetails(
            ZooKeeperLockProperties properties, ObjectProvider<SslBundles> bundles) {
        return properties.connectionDetails(bundles.getIfAvailable());
    }

    @Bean
    SslStores zooKeeperLockSslStores(ZooKeeperConnectionDetails details) {
        return SslStores.of(details.getSslBundle());
    }

    @Bean
    @ConditionalOnMissingBean(value = ZooKeeperLockProvider.class, name = "zooKeeperLockProvider")
    ZooKeeperLockProvider zooKeeperLockProvider(
            LockRuntime runtime,
            ZooKeeperConnectionDetails details,
            SslStores tls,
            ObjectProvider<ZooKeeperClientBuilderCustomizer> customizers,
            ZooKeeperLockProperties properties,
            ZooKeeperLockOptions options) {
        CuratorFrameworkFactory.Builder builder = properties.builder(details, tls.client());
        customizers.orderedStream().forEach(each -> each.customize(builder));
        return new ZooKeeperLockProvider(runtime, builder, options);
    }
}
