package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.fencing.Fence;
import io.distlock.jdbc.fence.JdbcFence;
import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.spring.transaction.TransactionFence;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
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
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/** What the properties of fencing do, how wrong ones are refused, and which tables and data sources are. */
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
    void aRetentionOfTheMaximumHoldTimeIsEnough() {
        start(ENABLED, "--distributed-lock.max-hold-time=2h", "--distributed-lock.jdbc.fencing.retention=2h")
                .close();
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

    private static ConfigurableApplicationContext start(String... properties) {
        return start(Application.class, properties);
    }

    static ConfigurableApplicationContext start(Class<?> application, String... properties) {
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
}
