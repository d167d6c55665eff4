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
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

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
@ConditionalOnBean(LockRuntime.class)
@Conditional(JdbcLockAutoConfiguration.OnDataSource.class)
@ConditionalOnLockProvider("jdbc")
@EnableConfigurationProperties(JdbcLockProperties.class)
// Boot imports it with an application's database, of which there may be none.
@Import(DatabaseInitializationDependencyConfigurer.class)
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

    /** The application's database, or one for the locks alone, which is usually no candidate where others are injected. */
    static final class OnDataSource extends AnyNestedCondition {

        OnDataSource() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnBean(DataSource.class)
        static final class Any {}

        @Conditional(OnLockDataSource.class)
        static final class OfTheLocks {}
    }

    /** Boot's condition leaves out beans that are no default candidates. */
    static final class OnLockDataSource implements ConfigurationCondition {

        @Override
        public ConfigurationPhase getConfigurationPhase() {
            return ConfigurationPhase.REGISTER_BEAN;
        }

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            ConfigurableListableBeanFactory beans = context.getBeanFactory();
            return beans != null && beans.getBeanNamesForAnnotation(LockDataSource.class).length > 0;
        }
    }

    /** Keeps the scripts in a native image. */
    static final class NativeImageHints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.resources().registerPattern("io/distlock/jdbc/schema-*.sql");
        }
    }
}
