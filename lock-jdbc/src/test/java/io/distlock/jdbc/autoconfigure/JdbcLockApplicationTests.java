package io.distlock.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.distlock.jdbc.Database;
import io.distlock.jdbc.JdbcLockProvider;
import io.distlock.jdbc.JdbcLockSetupException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;

/** Applications with a database and nothing else. */
@ExtendWith(OutputCaptureExtension.class)
class JdbcLockApplicationTests {

    private static Database postgresql;

    @BeforeAll
    static void start() {
        postgresql = Database.postgresql();
    }

    @AfterAll
    static void stop() {
        postgresql.close();
    }

    private static ConfigurableApplicationContext embedded(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());
        return run(application, all);
    }

    private static ConfigurableApplicationContext onServer(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("--spring.datasource.url=" + postgresql.url());
        all.add("--spring.datasource.username=" + postgresql.user());
        return run(application, all);
    }

    private static ConfigurableApplicationContext run(Class<?> application, List<String> properties) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                // The check at the start asks for no longer, and a busy machine may need that.
                .properties("distributed-lock.jdbc.connect-timeout=60s")
                .run(properties.toArray(String[]::new));
    }

    @Test
    void anEmbeddedDatabaseNeedsNoConfiguration() {
        try (ConfigurableApplicationContext context = embedded(Application.class)) {
            assertThat(context.getBean(Orders.class).ship("42")).isPositive();
            assertThat(context.getBean(LockClients.class).primary().provider()).isEqualTo("jdbc");
        }
    }

    @Test
    void theTableMayHaveAnotherName() {
        try (ConfigurableApplicationContext context =
                embedded(Application.class, "--distributed-lock.jdbc.table=public.locks_of_orders")) {
            assertThat(context.getBean(Orders.class).ship("42")).isPositive();
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject(
                                    "select count(*) from locks_of_orders where lock_key = 'ship:42{lock}'",
                                    Integer.class))
                    .isOne();
        }
    }

    /** Unquoted names have no case; the prefix is data, whatever is in it. */
    @Test
    void theNameMayBeOfMixedCaseWithASchemaAndThePrefixMayHaveQuotes() {
        try (ConfigurableApplicationContext context = onServer(
                Application.class,
                "--distributed-lock.jdbc.initialize-schema=always",
                "--distributed-lock.jdbc.table=Public.Locks_Of_Orders",
                "--distributed-lock.key-prefix=it's \"ours\"; --")) {
            assertThat(context.getBean(Orders.class).ship("42")).isPositive();
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForList(
                                    "select lock_key from public.locks_of_orders where lock_key like 'ship%'",
                                    String.class))
                    .containsExactly("ship:42{it's \"ours\"; --}");
        }
    }

    @Test
    void aMissingTableIsExplained() {
        assertThatThrownBy(() -> embedded(Application.class, "--distributed-lock.jdbc.initialize-schema=never"))
                .hasRootCauseInstanceOf(SQLException.class)
                .hasStackTraceContaining("the table distributed_lock is missing")
                .hasStackTraceContaining("initialize-schema=always");
    }

    @Test
    void aMissingRightIsExplained() {
        JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(postgresql.url(), postgresql.user(), ""));
        jdbc.execute("create user reader");
        jdbc.execute("grant select on distributed_lock to reader");
        assertThatThrownBy(() -> run(
                        Application.class,
                        List.of("--spring.datasource.url=" + postgresql.url(), "--spring.datasource.username=reader")))
                .hasStackTraceContaining(JdbcLockSetupException.class.getName())
                .hasStackTraceContaining("the application may not use the table distributed_lock");
    }

    @Test
    void aReadOnlyDatabaseIsExplained() {
        assertThatThrownBy(() -> onServer(
                        Application.class,
                        "--spring.datasource.hikari.connection-init-sql=set default_transaction_read_only = on"))
                .hasStackTraceContaining("the database is read-only");
    }

    /** All connections of the pool are in use, ten callers wait for a lock, and it is renewed, released and passed on. */
    @Test
    void locksWorkWhileTheApplicationsPoolIsExhausted()
            throws ExecutionException, InterruptedException, TimeoutException, SQLException {
        try (ConfigurableApplicationContext context =
                onServer(Application.class, "--spring.datasource.hikari.maximum-pool-size=10")) {
            Orders orders = context.getBean(Orders.class);
            ExecutorService callers = Executors.newFixedThreadPool(10);
            List<Future<Long>> tokens = new ArrayList<>();
            try (Connection first = context.getBean(DataSource.class).getConnection()) {
                assertThat(first.isClosed()).isFalse();
                for (int caller = 0; caller < 9; caller++) {
                    tokens.add(callers.submit(() -> orders.shipInTransaction("one")));
                }
                tokens.add(callers.submit(() -> orders.ship("one")));
                for (Future<Long> token : tokens) {
                    assertThat(token.get(60, TimeUnit.SECONDS)).isPositive();
                }
            } finally {
                callers.shutdownNow();
            }
        }
    }

    @Test
    void theLocksMayHaveADataSourceOfTheirOwn() {
        try (ConfigurableApplicationContext context = embedded(WithLockDataSource.class)) {
            assertThat(context.getBean(Orders.class).ship("42")).isPositive();
            assertThat(new JdbcTemplate(context.getBean("locks", DataSource.class))
                            .queryForObject(
                                    "select count(*) from distributed_lock where lock_key like 'ship%'", Integer.class))
                    .isOne();
            // The application's own has no table.
            assertThatThrownBy(() -> context.getBean(JdbcTemplate.class).queryForList("select * from distributed_lock"))
                    .hasMessageContaining("distributed_lock");
        }
    }

    /** It has its data elsewhere, and this database for its locks alone. */
    @Test
    void theOnlyDataSourceMayBeThatOfTheLocks() {
        try (ConfigurableApplicationContext context = run(WithLockDataSourceOnly.class, List.of())) {
            assertThat(context.getBean(Orders.class).ship("42")).isPositive();
        }
    }

    @Test
    void aMissingDataSourceIsExplained(CapturedOutput output) {
        assertThatThrownBy(() -> run(WithoutDataSource.class, List.of("--distributed-lock.provider=jdbc")))
                .isInstanceOf(RuntimeException.class);
        assertThat(output).contains("'jdbc'").contains("spring.datasource.*");
    }

    @Test
    void aMissingDriverIsExplained(CapturedOutput output) {
        assertThatThrownBy(() -> run(WithoutDriver.class, List.of())).isInstanceOf(RuntimeException.class);
        assertThat(output)
                .contains("Locks cannot be kept in the database: there is no driver for addresses that begin with"
                        + " 'jdbc:nothing:'.")
                .contains("org.postgresql:postgresql")
                .doesNotContain("secret");
    }

    @Test
    void wrongCredentialsAreExplained(CapturedOutput output) {
        assertThatThrownBy(() -> run(
                        Application.class,
                        List.of(
                                "--spring.datasource.url=" + postgresql.url(),
                                "--spring.datasource.username=nobody",
                                "--distributed-lock.jdbc.connect-timeout=30s")))
                .isInstanceOf(RuntimeException.class);
        assertThat(output).contains("the database does not accept the user or the password");
    }

    @Test
    void aDatabaseThatDoesNotExistIsExplained(CapturedOutput output) {
        assertThatThrownBy(() -> run(
                        Application.class,
                        List.of(
                                "--spring.datasource.url=" + postgresql.url().replace("/postgres", "/nowhere"),
                                "--spring.datasource.username=" + postgresql.user(),
                                "--distributed-lock.jdbc.connect-timeout=30s")))
                .isInstanceOf(RuntimeException.class);
        assertThat(output).contains("the database that the URL names does not exist");
    }

    @Test
    void anotherProviderMayBeChosen() {
        try (ConfigurableApplicationContext context =
                embedded(Application.class, "--distributed-lock.provider=in-memory")) {
            assertThat(context.getBeanProvider(JdbcLockProvider.class).stream()).isEmpty();
        }
    }

    @Test
    void aBadPropertyIsNamed() {
        assertThatThrownBy(() -> embedded(Application.class, "--distributed-lock.jdbc.table=\"Locks\""))
                .hasStackTraceContaining("distributed-lock.jdbc.table")
                .hasStackTraceContaining("is not a table name");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithLockDataSource {

        @Bean
        Orders orders() {
            return new Orders();
        }

        @Bean(defaultCandidate = false)
        @LockDataSource
        HikariDataSource locks() {
            return DataSourceBuilder.create()
                    .type(HikariDataSource.class)
                    .url("jdbc:h2:mem:" + UUID.randomUUID())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
    static class WithLockDataSourceOnly {

        @Bean
        Orders orders() {
            return new Orders();
        }

        @Bean(defaultCandidate = false)
        @LockDataSource
        HikariDataSource locks() {
            return DataSourceBuilder.create()
                    .type(HikariDataSource.class)
                    .url("jdbc:h2:mem:" + UUID.randomUUID())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
    static class WithoutDataSource {

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
    static class WithoutDriver {

        @Bean
        Orders orders() {
            return new Orders();
        }

        @Bean(defaultCandidate = false)
        @LockDataSource
        HikariDataSource locks() {
            HikariDataSource unopened = new HikariDataSource();
            unopened.setJdbcUrl("jdbc:nothing://host/name?password=secret");
            return unopened;
        }
    }

    static class Orders {

        @DistributedLock(name = "ship", key = "#order", waitTime = "60s", leaseTime = "5s")
        public long ship(String order) {
            return LockContext.current().fencingToken().value();
        }

        @Transactional
        @DistributedLock(name = "ship", key = "#order", waitTime = "60s", leaseTime = "5s")
        public long shipInTransaction(String order) {
            return LockContext.current().fencingToken().value();
        }
    }
}
