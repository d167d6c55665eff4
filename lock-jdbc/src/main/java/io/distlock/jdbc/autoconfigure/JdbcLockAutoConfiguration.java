package io.distlock.jdbc.autoconfigure;

import io.distlock.autoconfigure.CommonLockProperties;
import io.distlock.autoconfigure.ConditionalOnLockProvider;
import io.distlock.jdbc.JdbcLockOptions;
import io.distlock.jdbc.JdbcLockProvider;
import io.distlock.support.LockRuntime;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of locks in the application's database, on connections of their own. The beans depend on each other in the
 * order in which they must be closed: provider, connections, runtime.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "io.distlock.spring.autoconfigure.LockAutoConfiguration"
        })
@ConditionalOnClass({DataSource.class, JdbcConnectionDetails.class})
@ConditionalOnBean({DataSource.class, LockRuntime.class})
@ConditionalOnLockProvider("jdbc")
@EnableConfigurationProperties(JdbcLockProperties.class)
@ImportRuntimeHints(JdbcLockAutoConfiguration.NativeImageHints.class)
public final class JdbcLockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    JdbcLockOptions jdbcLockOptions(JdbcLockProperties properties, Environment environment) {
        return properties.options(CommonLockProperties.keyPrefix(environment));
    }

    @Bean
    @ConditionalOnMissingBean
    LockDatabase lockDatabase(
            LockRuntime runtime,
            @LockDataSource ObjectProvider<DataSource> chosen,
            ObjectProvider<DataSource> all,
            ObjectProvider<JdbcConnectionDetails> details,
            JdbcLockOptions options,
            Environment environment) {
        return LockDatabase.of(chosen, all, details, options, environment);
    }

    @Bean
    @ConditionalOnMissingBean
    LockSchemaInitializer lockSchemaInitializer(
            LockDatabase database, JdbcLockProperties properties, JdbcLockOptions options) {
        return new LockSchemaInitializer(database.dataSource(), properties.initializeSchema(), options);
    }

    @Bean
    @ConditionalOnMissingBean(value = JdbcLockProvider.class, name = "jdbcLockProvider")
    @DependsOnDatabaseInitialization
    JdbcLockProvider jdbcLockProvider(LockRuntime runtime, LockDatabase database, JdbcLockOptions options) {
        JdbcLockProvider provider = new JdbcLockProvider(runtime, database.dataSource(), options);
        try {
            provider.verify();
        } catch (RuntimeException unusable) {
            provider.close();
            throw unusable;
        }
        return provider;
    }

    /** Keeps the scripts in a native image. */
    static final class NativeImageHints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.resources().registerPattern("io/distlock/jdbc/schema-*.sql");
        }
    }
}
