package io.distlock.jdbc.autoconfigure;

import io.distlock.LockOptions;
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
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
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
            String table = properties.getFencing().getTable();
            try {
                return new FenceTable(table, environment.getProperty("distributed-lock.key-prefix", "lock"));
            } catch (IllegalArgumentException wrong) {
                throw new InvalidConfigurationPropertyValueException(
                        "distributed-lock.jdbc.fencing.table", table, wrong.getMessage());
            }
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
            JdbcFence fence = new JdbcFence(dataSource, table, clients.primary().provider());
            fence.verify();
            return fence;
        }

        @Bean
        @ConditionalOnBean(JdbcFence.class)
        @ConditionalOnMissingBean
        FencedTransactions jdbcFencedTransactions(JdbcFence fence) {
            return new FencedTransactions(fence);
        }

        @Bean
        @ConditionalOnBean(JdbcFence.class)
        @ConditionalOnMissingBean
        FenceCleanupSchedule fenceCleaning(
                DataSource dataSource, FenceTable table, JdbcFenceProperties properties, Environment environment) {
            Duration retention = properties.getFencing().getRetention();
            Duration maxHold = Binder.get(environment)
                    .bind("distributed-lock.max-hold-time", Duration.class)
                    .orElse(LockOptions.defaults().maxHoldTime());
            if (retention.compareTo(maxHold) < 0) {
                throw new InvalidConfigurationPropertyValueException(
                        "distributed-lock.jdbc.fencing.retention",
                        retention,
                        "It must be at least distributed-lock.max-hold-time, which is " + maxHold
                                + ": a lock that is still held could lose its row.");
            }
            return new FenceCleanupSchedule(new FenceCleaner(dataSource, table, retention));
        }
    }
}
