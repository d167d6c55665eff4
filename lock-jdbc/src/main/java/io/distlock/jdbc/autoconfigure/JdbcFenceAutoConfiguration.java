package io.distlock.jdbc.autoconfigure;

import io.distlock.fencing.Fence;
import io.distlock.jdbc.FenceCleaner;
import io.distlock.jdbc.FenceTable;
import io.distlock.jdbc.JdbcFence;
import io.distlock.spring.LockClients;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

/** Auto-configuration of a {@link Fence} in the application's database, which each transaction under a lock advances. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockAutoConfiguration"
        })
@ConditionalOnProperty("distributed-lock.jdbc.fencing.enabled")
@ConditionalOnBean(LockClients.class)
@EnableConfigurationProperties(JdbcFenceProperties.class)
public final class JdbcFenceAutoConfiguration {

    /** An application that asks for a fence does not start without one, for whatever reason it is missing. */
    @Bean
    static FenceCheck jdbcFenceCheck(
            ObjectProvider<JdbcFence> fences,
            ObjectProvider<PlatformTransactionManager> managers,
            ListableBeanFactory beans) {
        return new FenceCheck(fences, managers, beans);
    }

    /** The fence of the application's only or primary data source. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSingleCandidate(DataSource.class)
    static class FenceConfiguration {

        @Bean
        @ConditionalOnMissingBean
        FenceTable fenceTable(JdbcFenceProperties properties, Environment environment) {
            return properties.getFencing().table("jdbc", environment);
        }

        @Bean
        @ConditionalOnMissingBean
        FenceSchemaInitializer fenceSchemaInitializer(
                DataSource dataSource, JdbcFenceProperties properties, FenceTable table) {
            return new FenceSchemaInitializer(dataSource, properties, table);
        }

        @Bean
        @ConditionalOnMissingBean
        @DependsOnDatabaseInitialization
        JdbcFence jdbcFence(DataSource dataSource, FenceTable table, LockClients clients) {
            clients.providers().forEach(provider -> new JdbcFence(dataSource, table, provider).verify());
            return new JdbcFence(dataSource, table, clients.primary().provider());
        }

        @Bean
        @ConditionalOnBean(JdbcFence.class)
        @ConditionalOnMissingBean
        FencedTransactions jdbcFencedTransactions(JdbcFence fence) {
            return new FencedTransactions(fence);
        }

        @Bean
        @ConditionalOnBean(JdbcFence.class)
        @ConditionalOnMissingBean(name = "fenceCleaning")
        FenceCleanupSchedule fenceCleaning(
                DataSource dataSource, FenceTable table, JdbcFenceProperties properties, Environment environment) {
            Duration retention = properties.getFencing().retention("jdbc", environment);
            return new FenceCleanupSchedule(new FenceCleaner(dataSource, table, retention));
        }
    }
}
