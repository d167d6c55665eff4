package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.fencing.Fence;
import io.distlock.jdbc.fence.JdbcFence;
import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.spring.transaction.TransactionFence;
import io.r2dbc.spi.ConnectionFactories;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

/** What the properties of fencing do, and how wrong ones are refused. */
@ExtendWith(OutputCaptureExtension.class)
class FenceStartTests {

    private static final String ENABLED = "--distributed-lock.jdbc.fencing.enabled=true";

    @Test
    void byDefaultThereIsNoFence() {
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBeansOfType(Fence.class)).isEmpty();
            assertThat(context.getBeansOfType(TransactionFence.class)).isEmpty();
        }
    }

    @Test
    void anEmbeddedDatabaseGetsItsTable(CapturedOutput output) {
        try (ConfigurableApplicationContext context = start(ENABLED)) {
            assertThat(context.getBean(Fence.class)).isInstanceOf(JdbcFence.class);
        }
        assertThat(output).doesNotContain("not fenced");
    }

    @Test
    void theTableMayHaveAnotherName() {
        try (ConfigurableApplicationContext context =
                start(ENABLED, "--distributed-lock.jdbc.fencing.table=other_fence")) {
            new JdbcTemplate(context.getBean(DataSource.class)).queryForList("select token from other_fence");
        }
    }

    @Test
    void aTableThatIsMissingStopsTheStart() {
        assertThatThrownBy(() -> start(ENABLED, "--distributed-lock.jdbc.initialize-schema=never"))
                .hasRootCauseInstanceOf(java.sql.SQLException.class)
                .hasStackTraceContaining(
                        "the fence cannot use the table distributed_lock_fence: create it with the script"
                                + " io/distlock/jdbc/fence/schema-h2.sql");
    }

    @Test
    void aTableOfAnotherShapeStopsTheStart() {
        String url =
                "jdbc:h2:mem:" + UUID.randomUUID() + ";INIT=create table if not exists distributed_lock_fence (x int)";
        assertThatThrownBy(() -> start(ENABLED, "--spring.datasource.url=" + url))
                .hasStackTraceContaining("the fence cannot use the table distributed_lock_fence");
    }

    @Test
    void aTableThatCannotBeWrittenToStopsTheStart() {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        try (ConfigurableApplicationContext owner = start(ENABLED, "--spring.datasource.url=" + url)) {
            JdbcTemplate jdbc = new JdbcTemplate(owner.getBean(DataSource.class));
            jdbc.execute("create user reader password 'x'");
            jdbc.execute("grant select on distributed_lock_fence to reader");
            assertThatThrownBy(() -> start(
                            ENABLED,
                            "--distributed-lock.jdbc.initialize-schema=never",
                            "--spring.datasource.username=reader",
                            "--spring.datasource.password=x",
                            "--spring.datasource.url=" + url))
                    .hasStackTraceContaining("allow the application to select, insert, update and delete there");
        }
    }

    @Test
    void aNameThatIsNoTablesIsRefused() {
        assertThatThrownBy(() -> start(ENABLED, "--distributed-lock.jdbc.fencing.table=a b"))
                .hasStackTraceContaining("distributed-lock.jdbc.fencing.table")
                .hasStackTraceContaining("\"a b\" is not a table name");
    }

    @Test
    void aRetentionBelowTheMaximumHoldTimeIsRefused() {
        assertThatThrownBy(() -> start(
                        ENABLED, "--distributed-lock.max-hold-time=2h", "--distributed-lock.jdbc.fencing.retention=1h"))
                .hasStackTraceContaining("distributed-lock.jdbc.fencing.retention")
                .hasStackTraceContaining("at least distributed-lock.max-hold-time, which is 2h");
    }

    @Test
    void severalDataSourcesOfWhichNoneIsPrimaryStopTheStart() {
        assertThatThrownBy(() -> start(TwoDataSources.class, ENABLED))
                .hasStackTraceContaining("there is no single DataSource to fence, but: one, two")
                .hasStackTraceContaining("make the one that the locks protect @Primary");
    }

    @Test
    void noDataSourceStopsTheStart() {
        assertThatThrownBy(() -> start(
                        Application.class,
                        ENABLED,
                        "--spring.autoconfigure.exclude="
                                + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"))
                .hasStackTraceContaining("there is no DataSource to fence")
                .hasStackTraceContaining("R2DBC");
    }

    @Test
    void aTransactionManagerOfAnotherDataSourceStopsTheStart() {
        assertThatThrownBy(() -> start(OtherManager.class, ENABLED))
                .hasStackTraceContaining("no transaction manager begins transactions of the fence's DataSource");
    }

    @Test
    void aManagerOfReactiveTransactionsIsNamedInAWarning(CapturedOutput output) {
        try (ConfigurableApplicationContext context = start(ReactiveBeside.class, ENABLED)) {
            assertThat(context.getBeansOfType(TransactionFence.class)).isNotEmpty();
        }
        assertThat(output).containsOnlyOnce("The transactions of r2dbcManager are reactive and not fenced");
    }

    @Test
    void aTransactionManagerThatCannotBeListenedToStopsTheStart() {
        assertThatThrownBy(() -> start(HiddenManager.class, ENABLED))
                .hasStackTraceContaining("would not be fenced, since the locks do not listen to it")
                .hasStackTraceContaining("FenceStartTests$Delegate");
        start(ManagerBehind.class, ENABLED).close();
    }

    @Test
    void aLibraryOfSpringThatIsMissingIsNamed() {
        ApplicationContextRunner runner = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        LockAutoConfiguration.class,
                        LockAopAutoConfiguration.class,
                        JdbcFenceAutoConfiguration.class,
                        R2dbcFenceAutoConfiguration.class))
                .withPropertyValues("distributed-lock.provider=in-memory");
        runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.jdbc"))
                .withPropertyValues("distributed-lock.jdbc.fencing.enabled=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("nothing would be fenced without")
                        .hasStackTraceContaining("spring-boot-starter-jdbc"));
        runner.withClassLoader(new FilteredClassLoader("org.springframework.r2dbc"))
                .withPropertyValues("distributed-lock.r2dbc.fencing.enabled=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("nothing would be fenced without")
                        .hasStackTraceContaining("spring-boot-starter-r2dbc"));
    }

    @Test
    void aSecondManagerThatCannotBeListenedToStopsTheStart() {
        assertThatThrownBy(() -> start(SecondHidden.class, ENABLED))
                .hasStackTraceContaining("would not be fenced, since the locks do not listen to it")
                .hasStackTraceContaining("FenceStartTests$Delegate");
    }

    @Test
    void aSecondManagerWithoutSynchronizationsStopsTheStart() {
        assertThatThrownBy(() -> start(SecondNeverSynchronized.class, ENABLED))
                .hasStackTraceContaining("the transactions of second (")
                .hasStackTraceContaining("SYNCHRONIZATION_NEVER");
    }

    @ParameterizedTest
    @ValueSource(classes = {BehindTheFence.class, InFrontOfTheFence.class})
    void aSecondManagerOfTheSameDatabaseByAnotherDataSourceBeanStopsTheStart(Class<?> application) {
        assertThatThrownBy(() -> start(application, ENABLED))
                .hasStackTraceContaining("the transactions of second (")
                .hasStackTraceContaining("give it the same DataSource bean as the fence");
    }

    @Test
    void aSecondManagerOfAnotherDatabaseDoesNot() {
        start(SecondDatabase.class, ENABLED).close();
    }

    @Test
    void aTransactionManagerOfTheParentContextThatTheLocksDoNotListenToStopsTheStart() {
        SpringApplicationBuilder parent = new SpringApplicationBuilder(Parent.class).web(WebApplicationType.NONE);
        assertThatThrownBy(() -> parent.child(Application.class)
                        .web(WebApplicationType.NONE)
                        .run(
                                ENABLED,
                                "--distributed-lock.provider=in-memory",
                                "--distributed-lock.jdbc.initialize-schema=always"))
                .hasStackTraceContaining(
                        "JdbcTransactionManager) would not be fenced, since the locks do not listen to it")
                .hasStackTraceContaining("define it in an application context with locks");
    }

    private static ConfigurableApplicationContext start(String... properties) {
        return start(Application.class, properties);
    }

    private static ConfigurableApplicationContext start(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "--distributed-lock.provider=in-memory", "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID()));
        all.addAll(List.of(properties));
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .run(all.toArray(String[]::new));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class TwoDataSources {

        @Bean
        DataSource one() {
            return new EmbeddedDatabaseBuilder()
                    .setType(EmbeddedDatabaseType.H2)
                    .generateUniqueName(true)
                    .build();
        }

        @Bean
        DataSource two() {
            return new EmbeddedDatabaseBuilder()
                    .setType(EmbeddedDatabaseType.H2)
                    .generateUniqueName(true)
                    .build();
        }
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
