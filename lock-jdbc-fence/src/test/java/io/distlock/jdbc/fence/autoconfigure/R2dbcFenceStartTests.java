package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.jdbc.fence.CountedConnections;
import io.distlock.jdbc.fence.R2dbcFence;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.transaction.TransactionFence;
import io.r2dbc.spi.ConnectionFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.r2dbc.connection.DelegatingConnectionFactory;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import reactor.core.publisher.Mono;

/** What the properties of fencing with R2DBC do, and how wrong ones are refused. */
@ExtendWith(OutputCaptureExtension.class)
class R2dbcFenceStartTests {

    private static final String ENABLED = "--distributed-lock.r2dbc.fencing.enabled=true";

    @Test
    void byDefaultThereIsNoFence() {
        try (ConfigurableApplicationContext context = start(Application.class)) {
            assertThat(context.getBeansOfType(R2dbcFence.class)).isEmpty();
            assertThat(context.getBeansOfType(TransactionFence.Reactive.class)).isEmpty();
        }
    }

    @Test
    void noDataSourceIsNeededAndTheTableMayHaveAnotherName() {
        try (ConfigurableApplicationContext context =
                start(Application.class, ENABLED, "--distributed-lock.r2dbc.fencing.table=other_fence")) {
            assertThat(context.getBeansOfType(DataSource.class)).isEmpty();
            CountedConnections connections = context.getBean(CountedConnections.class);
            assertThat(DatabaseClient.create(connections)
                            .sql("select token from other_fence")
                            .fetch()
                            .all()
                            .collectList()
                            .block())
                    .isEmpty();
            assertThat(connections.open()).isZero();
        }
    }

    @Test
    void aMissingTableStopsTheStart() {
        assertThatThrownBy(() -> start(Application.class, ENABLED, "--distributed-lock.r2dbc.initialize-schema=never"))
                .hasStackTraceContaining(
                        "the fence cannot use the table distributed_lock_fence: create it with the script"
                                + " io/distlock/jdbc/fence/schema-h2.sql or set distributed-lock.r2dbc.initialize-schema to"
                                + " always");
    }

    @Test
    void aTableThatCannotBeWrittenToStopsTheStart() {
        String name = "/" + UUID.randomUUID();
        DatabaseClient owner =
                DatabaseClient.create(new CountedConnections("r2dbc:h2:mem://" + name + "?options=DB_CLOSE_DELAY=-1"));
        for (String each : List.of(
                "create table distributed_lock_fence (lock_key varchar(512) primary key, token bigint,"
                        + " provider varchar(255), updated_at timestamp with time zone)",
                "create user reader password 'x'",
                "grant select on distributed_lock_fence to reader")) {
            owner.sql(each).then().block();
        }
        Application.url = "r2dbc:h2:mem://reader:x@" + name;
        try {
            assertThatThrownBy(
                            () -> start(Application.class, ENABLED, "--distributed-lock.r2dbc.initialize-schema=never"))
                    .hasStackTraceContaining("allow the application to select, insert, update and delete there");
        } finally {
            Application.url = "";
        }
    }

    @Test
    void aDatabaseThatDoesNotAnswerStopsTheStart() {
        Application.url = "r2dbc:h2:mem:///" + UUID.randomUUID() + "?options=IFEXISTS=TRUE";
        try {
            assertThatThrownBy(
                            () -> start(Application.class, ENABLED, "--distributed-lock.r2dbc.initialize-schema=never"))
                    .hasStackTraceContaining("the database of the fence does not answer: check spring.r2dbc.*");
        } finally {
            Application.url = "";
        }
    }

    @Test
    void wrongPropertiesAreRefused() {
        assertThatThrownBy(() -> start(Application.class, ENABLED, "--distributed-lock.r2dbc.fencing.table=a b"))
                .hasStackTraceContaining("distributed-lock.r2dbc.fencing.table")
                .hasStackTraceContaining("\"a b\" is not a table name");
    }

    @Test
    void aRetentionOfTheMaximumHoldTimeIsEnough() {
        start(
                        Application.class,
                        ENABLED,
                        "--distributed-lock.max-hold-time=2h",
                        "--distributed-lock.r2dbc.fencing.retention=2h")
                .close();
    }

    @Test
    void aRetentionBelowTheMaximumHoldTimeIsRefused() {
        assertThatThrownBy(() -> start(
                        Application.class,
                        ENABLED,
                        "--distributed-lock.max-hold-time=2h",
                        "--distributed-lock.r2dbc.fencing.retention=1h"))
                .hasStackTraceContaining("distributed-lock.r2dbc.fencing.retention")
                .hasStackTraceContaining("at least distributed-lock.max-hold-time");
    }

    @Test
    void eachFenceIsCleanedAndNoneByDefault() {
        try (ConfigurableApplicationContext context = start(Application.class, ENABLED)) {
            assertThat(context.getBeansOfType(FenceCleanupSchedule.class)).containsOnlyKeys("r2dbcFenceCleaning");
        }
        try (ConfigurableApplicationContext context =
                start(Both.class, ENABLED, "--distributed-lock.jdbc.fencing.enabled=true")) {
            assertThat(context.getBeansOfType(FenceCleanupSchedule.class))
                    .containsOnlyKeys("r2dbcFenceCleaning", "fenceCleaning");
        }
        try (ConfigurableApplicationContext context = start(Application.class)) {
            assertThat(context.getBeansOfType(FenceCleanupSchedule.class)).isEmpty();
        }
    }

    @Test
    void severalConnectionFactoriesOfWhichNoneIsPrimaryStopTheStart() {
        assertThatThrownBy(() -> start(Two.class, ENABLED))
                .hasStackTraceContaining("there is no single ConnectionFactory to fence, but: one, two");
    }

    @Test
    void noConnectionFactoryStopsTheStart() {
        assertThatThrownBy(() -> start(None.class, ENABLED))
                .hasStackTraceContaining("there is no ConnectionFactory to fence: define one");
    }

    @Test
    void aTransactionManagerOfAnotherConnectionFactoryStopsTheStart() {
        assertThatThrownBy(() -> start(OtherManager.class, ENABLED))
                .hasStackTraceContaining("no transaction manager begins transactions of the fence's ConnectionFactory");
    }

    @Test
    void aSecondManagerOfTheConnectionFactoryBehindTheFencesStopsTheStart() {
        assertThatThrownBy(() -> start(SecondBehind.class, ENABLED))
                .hasStackTraceContaining("the transactions of second would not be fenced")
                .hasStackTraceContaining("give it the same ConnectionFactory bean as the fence");
    }

    @Test
    void besideTheFenceOfJdbcNothingIsWarnedOf(CapturedOutput output) {
        start(Both.class, ENABLED, "--distributed-lock.jdbc.fencing.enabled=true")
                .close();
        assertThat(output).doesNotContain("not fenced");
    }

    @Test
    void aReactiveMethodMayDemandFencingAndAnyOtherMayNot() {
        start(Demanding.class, ENABLED).close();
        assertThatThrownBy(() -> start(Demanding.class))
                .hasStackTraceContaining("distributed-lock.r2dbc.fencing.enabled");
        assertThatThrownBy(() -> start(DemandingBlocking.class, ENABLED))
                .hasStackTraceContaining("distributed-lock.jdbc.fencing.enabled");
    }

    private static ConfigurableApplicationContext start(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of("--distributed-lock.provider=in-memory"));
        all.addAll(List.of(properties));
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .run(all.toArray(String[]::new));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class None {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        private static String url = "";

        @Bean
        CountedConnections connections() {
            return url.isEmpty() ? new CountedConnections() : new CountedConnections(url);
        }

        @Bean
        R2dbcTransactionManager manager(CountedConnections connections) {
            return new R2dbcTransactionManager(connections);
        }
    }

    static class Both extends Application {

        @Bean
        DataSource dataSource() {
            return new EmbeddedDatabaseBuilder()
                    .setType(EmbeddedDatabaseType.H2)
                    .generateUniqueName(true)
                    .build();
        }

        @Bean
        JdbcTransactionManager blocking(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    static class Demanding extends Application {

        @Bean
        Reactive reactive() {
            return new Reactive();
        }
    }

    static class DemandingBlocking extends Application {

        @Bean
        Blocking blocking() {
            return new Blocking();
        }
    }

    static class Reactive {

        @DistributedLock(name = "a", fencing = DistributedLock.Fencing.ON)
        public Mono<Void> run() {
            return Mono.empty();
        }
    }

    static class Blocking {

        @DistributedLock(name = "a", fencing = DistributedLock.Fencing.ON)
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Two {

        @Bean
        CountedConnections one() {
            return new CountedConnections();
        }

        @Bean
        CountedConnections two() {
            return new CountedConnections();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class SecondBehind {

        private final CountedConnections target = new CountedConnections();

        @Bean
        ConnectionFactory connections() {
            return new DelegatingConnectionFactory(target);
        }

        @Bean
        R2dbcTransactionManager first(ConnectionFactory connections) {
            return new R2dbcTransactionManager(connections);
        }

        @Bean
        R2dbcTransactionManager second() {
            return new R2dbcTransactionManager(target);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class OtherManager {

        @Bean
        CountedConnections connections() {
            return new CountedConnections();
        }

        @Bean
        R2dbcTransactionManager other() {
            return new R2dbcTransactionManager(new CountedConnections());
        }
    }
}
