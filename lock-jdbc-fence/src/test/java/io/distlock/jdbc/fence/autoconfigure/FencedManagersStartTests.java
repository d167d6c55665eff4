package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.spring.transaction.TransactionFence;
import io.r2dbc.spi.ConnectionFactories;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

/** Which transaction managers stop the start, since their transactions would not be fenced. */
@ExtendWith(OutputCaptureExtension.class)
class FencedManagersStartTests {

    private static final String ENABLED = "--distributed-lock.jdbc.fencing.enabled=true";

    @Test
    void aTransactionManagerOfAnotherDataSourceStopsTheStart() {
        assertThatThrownBy(() -> FenceStartTests.start(OtherManager.class, ENABLED))
                .hasStackTraceContaining("no transaction manager begins transactions of the fence's DataSource");
    }

    @Test
    void aManagerOfReactiveTransactionsIsNamedInAWarning(CapturedOutput output) {
        try (ConfigurableApplicationContext context = FenceStartTests.start(ReactiveBeside.class, ENABLED)) {
            assertThat(context.getBeansOfType(TransactionFence.class)).isNotEmpty();
        }
        assertThat(output).containsOnlyOnce("The transactions of r2dbcManager are reactive and not fenced");
    }

    @Test
    void aTransactionManagerThatCannotBeListenedToStopsTheStart() {
        assertThatThrownBy(() -> FenceStartTests.start(HiddenManager.class, ENABLED))
                .hasStackTraceContaining("would not be fenced, since the locks do not listen to it")
                .hasStackTraceContaining("FencedManagersStartTests$Delegate");
        FenceStartTests.start(ManagerBehind.class, ENABLED).close();
    }

    @Test
    void aSecondManagerThatCannotBeListenedToStopsTheStart() {
        assertThatThrownBy(() -> FenceStartTests.start(SecondHidden.class, ENABLED))
                .hasStackTraceContaining("would not be fenced, since the locks do not listen to it")
                .hasStackTraceContaining("FencedManagersStartTests$Delegate");
    }

    @Test
    void aSecondManagerWithoutSynchronizationsStopsTheStart() {
        assertThatThrownBy(() -> FenceStartTests.start(SecondNeverSynchronized.class, ENABLED))
                .hasStackTraceContaining("the transactions of second (")
                .hasStackTraceContaining("SYNCHRONIZATION_NEVER");
    }

    @ParameterizedTest
    @ValueSource(classes = {BehindTheFence.class, InFrontOfTheFence.class})
    void aSecondManagerOfTheSameDatabaseByAnotherDataSourceBeanStopsTheStart(Class<?> application) {
        assertThatThrownBy(() -> FenceStartTests.start(application, ENABLED))
                .hasStackTraceContaining("the transactions of second (")
                .hasStackTraceContaining("give it the same DataSource bean as the fence");
    }

    @Test
    void aSecondManagerOfAnotherDatabaseDoesNot() {
        FenceStartTests.start(SecondDatabase.class, ENABLED).close();
    }

    @Test
    void aTransactionManagerOfTheParentContextThatTheLocksDoNotListenToStopsTheStart() {
        SpringApplicationBuilder parent = new SpringApplicationBuilder(Parent.class).web(WebApplicationType.NONE);
        assertThatThrownBy(() -> parent.child(FenceStartTests.Application.class)
                        .web(WebApplicationType.NONE)
                        .run(
                                ENABLED,
                                "--distributed-lock.provider=in-memory",
                                "--distributed-lock.jdbc.initialize-schema=always"))
                .hasStackTraceContaining(
                        "JdbcTransactionManager) would not be fenced, since the locks do not listen to it")
                .hasStackTraceContaining("define it in an application context with locks");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class OtherManager {

        @Bean
        JdbcTransactionManager other() {
            return new JdbcTransactionManager(new EmbeddedDatabaseBuilder()
                    .setType(EmbeddedDatabaseType.H2)
                    .generateUniqueName(true)
                    .build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ReactiveBeside {

        @Bean
        R2dbcTransactionManager r2dbcManager() {
            return new R2dbcTransactionManager(ConnectionFactories.get("r2dbc:h2:mem:///reactive"));
        }

        @Bean
        JdbcTransactionManager blocking(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class HiddenManager {

        @Bean
        PlatformTransactionManager delegate(DataSource dataSource) {
            return new Delegate(new JdbcTransactionManager(dataSource));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ManagerBehind {

        @Bean
        JdbcTransactionManager behind(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        PlatformTransactionManager delegate(JdbcTransactionManager behind) {
            return new Delegate(behind);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class First {

        @Bean
        JdbcTransactionManager first(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    static class SecondHidden extends First {

        @Bean
        PlatformTransactionManager second(DataSource dataSource) {
            return new Delegate(new JdbcTransactionManager(dataSource));
        }
    }

    static class SecondNeverSynchronized extends First {

        @Bean
        JdbcTransactionManager second(DataSource dataSource) {
            JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
            manager.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);
            return manager;
        }
    }

    static class BehindTheFence extends First {

        private final DataSource target = new EmbeddedDatabaseBuilder()
                .setType(EmbeddedDatabaseType.H2)
                .generateUniqueName(true)
                .build();

        @Bean
        DataSource dataSource() {
            return new LazyConnectionDataSourceProxy(target);
        }

        @Bean
        JdbcTransactionManager second() {
            return new JdbcTransactionManager(target);
        }
    }

    static class InFrontOfTheFence extends First {

        @Bean
        JdbcTransactionManager second(DataSource dataSource) {
            return new JdbcTransactionManager(new LazyConnectionDataSourceProxy(dataSource));
        }
    }

    static class SecondDatabase extends First {

        @Bean
        JdbcTransactionManager second() {
            return new JdbcTransactionManager(new EmbeddedDatabaseBuilder()
                    .setType(EmbeddedDatabaseType.H2)
                    .generateUniqueName(true)
                    .build());
        }
    }

    /** Without locks. */
    @Configuration(proxyBeanMethods = false)
    static class Parent {

        @Bean
        DataSource dataSource() {
            return new EmbeddedDatabaseBuilder()
                    .setType(EmbeddedDatabaseType.H2)
                    .generateUniqueName(true)
                    .build();
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    private record Delegate(PlatformTransactionManager behind) implements PlatformTransactionManager {

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            return behind.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            behind.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            behind.rollback(status);
        }
    }
}
