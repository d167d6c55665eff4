package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.FenceTable;
import io.distlock.jdbc.fence.R2dbcFence;
import io.distlock.spring.LockClients;
import io.distlock.spring.transaction.TransactionFence;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
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
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Auto-configuration of an {@link R2dbcFence}, which each reactive transaction under a lock advances. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockAutoConfiguration"
        })
@ConditionalOnClass(R2dbcTransactionManager.class)
@ConditionalOnProperty("distributed-lock.r2dbc.fencing.enabled")
@ConditionalOnBean(LockClients.class)
@EnableConfigurationProperties(R2dbcFenceProperties.class)
public final class R2dbcFenceAutoConfiguration {

    /** An application that asks for a fence does not start without one, for whatever reason it is missing. */
    @Bean
    static R2dbcFenceCheck r2dbcFenceCheck(ListableBeanFactory beans) {
        return new R2dbcFenceCheck(beans);
    }

    /** The fence of the only or primary connection factory. A child context shares it, if it has no such factory itself. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSingleCandidate(ConnectionFactory.class)
    @Conditional(OnUnfencedData.class)
    static class FenceConfiguration {

        /** For a database that does not answer. */
        private static final Duration PATIENCE = Duration.ofMinutes(1);

        @Bean
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
        @DependsOnDatabaseInitialization
        R2dbcFence r2dbcFence(
                ConnectionFactory connections,
                R2dbcFenceProperties properties,
                LockClients clients,
                Environment environment) {
            FenceTable table = properties.getFencing().table("r2dbc", environment);
            R2dbcFence fence =
                    new R2dbcFence(connections, table, clients.primary().provider());
            DatabaseInitializationMode mode = properties.getInitializeSchema();
            Mono<Void> created = mode == DatabaseInitializationMode.NEVER
                    ? Mono.empty()
                    : fence.createTable(mode == DatabaseInitializationMode.EMBEDDED);
            Mono<Void> verified = Flux.fromIterable(clients.providers())
                    .concatMap(provider -> new R2dbcFence(connections, table, provider).verify())
                    .then();
            created.then(verified).block(PATIENCE);
            return fence;
        }

        @Bean
        @ConditionalOnBean(R2dbcFence.class)
        TransactionFence.Reactive r2dbcFencedTransactions(R2dbcFence fence) {
            return (provider, sequencer) -> fence.isInTransaction()
                    .filter(isInTransaction -> isInTransaction)
                    .flatMap(isInTransaction -> fence.advance(provider, sequencer));
        }

        @Bean
        @ConditionalOnBean(R2dbcFence.class)
        FenceCleanupSchedule r2dbcFenceCleaning(
                R2dbcFence fence, R2dbcFenceProperties properties, Environment environment) {
            return new FenceCleanupSchedule(
                    fence.cleaner(properties.getFencing().retention("r2dbc", environment)));
        }
    }

    static final class OnUnfencedData extends AnyNestedCondition {

        OnUnfencedData() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnMissingBean(R2dbcFence.class)
        static final class NoFence {}

        @ConditionalOnBean(value = R2dbcFence.class, search = SearchStrategy.CURRENT)
        static final class OwnFence {}

        @ConditionalOnBean(value = ConnectionFactory.class, search = SearchStrategy.CURRENT)
        static final class OwnData {}
    }
}
