package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.fencing.Fence;
import io.distlock.jdbc.fence.FenceCleaner;
import io.distlock.jdbc.fence.FenceTable;
import io.distlock.jdbc.fence.JdbcFence;
import io.distlock.spring.LockClients;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Auto-configuration of a {@link Fence} in the application's database, which each transaction under a lock advances. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockAutoConfiguration"
        })
@ConditionalOnClass(DatabaseInitializationProperties.class)
@ConditionalOnProperty("distributed-lock.jdbc.fencing.enabled")
@ConditionalOnBean(LockClients.class)
@EnableConfigurationProperties(JdbcFenceProperties.class)
public final class JdbcFenceAutoConfiguration {

    /** An application that asks for a fence does not start without one, for whatever reason it is missing. */
    @Bean
    static FenceCheck jdbcFenceCheck(ListableBeanFactory beans) {
        return new FenceCheck(beans);
    }

    /** The fence of the application's only or primary data source. A child context shares it, if it has no data source itself. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSingleCandidate(DataSource.class)
    @Conditional(OnUnfencedData.class)
    static class FenceConfiguration {

        @Bean
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
        FenceTable fenceTable(JdbcFenceProperties properties, Environment environment) {
            return properties.getFencing().table("jdbc", environment);
        }

        @Bean
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
        FenceSchemaInitializer fenceSchemaInitializer(
                DataSource dataSource, JdbcFenceProperties properties, FenceTable table) {
            return new FenceSchemaInitializer(dataSource, properties, table);
        }

        @Bean
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
        @DependsOnDatabaseInitialization
        JdbcFence jdbcFence(DataSource dataSource, FenceTable table, LockClients clients) {
            clients.providers().forEach(provider -> new JdbcFence(dataSource, table, provider).verify());
            return new JdbcFence(dataSource, table, clients.primary().provider());
        }

        @Bean
        @ConditionalOnBean(JdbcFence.class)
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
        FencedTransactions jdbcFencedTransactions(JdbcFence fence) {
            return new FencedTransactions(fence);
        }

        @Bean
        @ConditionalOnBean(JdbcFence.class)
        @ConditionalOnMissingBean(name = "fenceCleaning", search = SearchStrategy.CURRENT)
        FenceCleanupSchedule fenceCleaning(
                DataSource dataSource, FenceTable table, JdbcFenceProperties properties, Environment environment) {
            Duration retention = properties.getFencing().retention("jdbc", environment);
            return new FenceCleanupSchedule(new FenceCleaner(dataSource, table, retention));
        }
    }

    static final class OnUnfencedData extends AnyNestedCondition {

        OnUnfencedData() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnMissingBean(JdbcFence.class)
        static final class NoFence {}

        @ConditionalOnBean(value = JdbcFence.class, search = SearchStrategy.CURRENT)
        static final class OwnFence {}

        @ConditionalOnBean(value = DataSource.class, search = SearchStrategy.CURRENT)
        static final class OwnData {}
    }
}
