package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.jdbc.fence.Database;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.FaultyLockProvider;
import io.r2dbc.spi.ConnectionFactory;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;

/** On MariaDB, a first transaction under a lock locks the floor. Where there is none, it would lock out other new rows. */
class FenceFloorTests {

    private static Database database;

    @BeforeAll
    static void start() {
        database = Database.mariadb();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Test
    void eachProviderHasAFloorFromTheStart() {
        assertFloors(
                Application.class,
                "--distributed-lock.jdbc.fencing.enabled=true",
                "--spring.datasource.url=" + database.url(),
                "--spring.datasource.username=" + database.user());
    }

    @Test
    void applicationsWithDifferentKeyPrefixesHaveFloorsOfTheirOwn() {
        database.jdbc().update("delete from distributed_lock_fence");
        run(
                ReactiveApplication.class,
                "--distributed-lock.r2dbc.fencing.enabled=true",
                "--distributed-lock.key-prefix=shop");
        assertThat(floors()).containsExactlyInAnyOrder("{floor}one:shop", "{floor}other:shop");
    }

    /** It is no embedded database. */
    @Test
    void theTableIsOnlyCreatedIfThatIsAskedFor() {
        String[] properties = {
            "--distributed-lock.r2dbc.fencing.enabled=true", "--distributed-lock.r2dbc.fencing.table=asked_for"
        };
        assertThatThrownBy(() -> run(ReactiveApplication.class, properties))
                .hasStackTraceContaining("the fence cannot use the table asked_for");
        assertThat(database.jdbc().queryForList("show tables like 'asked_for'")).isEmpty();
        run(
                ReactiveApplication.class,
                properties[0],
                properties[1],
                "--distributed-lock.r2dbc.initialize-schema=always");
        assertThat(database.jdbc().queryForList("show tables like 'asked_for'")).hasSize(1);
    }

    @Test
    void theTableIsCreatedOverJdbcIfThatIsAskedFor() {
        String[] properties = {
            "--distributed-lock.jdbc.fencing.enabled=true",
            "--distributed-lock.jdbc.fencing.table=asked_for_too",
            "--spring.datasource.url=" + database.url(),
            "--spring.datasource.username=" + database.user(),
            "--distributed-lock.jdbc.initialize-schema=always"
        };
        assertThatThrownBy(() -> run(Application.class, Arrays.copyOf(properties, 4)))
                .hasStackTraceContaining("the fence cannot use the table asked_for_too");
        run(Application.class, properties);
        assertThat(database.jdbc().queryForList("show tables like 'asked_for_too'"))
                .hasSize(1);
    }

    @Test
    void overR2dbcAsWell() {
        assertFloors(ReactiveApplication.class, "--distributed-lock.r2dbc.fencing.enabled=true");
    }

    private static void assertFloors(Class<?> application, String... properties) {
        database.jdbc().update("delete from distributed_lock_fence");
        run(application, properties);
        assertThat(floors()).containsExactlyInAnyOrder("{floor}one:lock", "{floor}other:lock");
    }

    private static void run(Class<?> application, String... properties) {
        new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties("distributed-lock.provider=one")
                .run(properties)
                .close();
    }

    private static List<String> floors() {
        return database.jdbc().queryForList("select lock_key from distributed_lock_fence", String.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean(destroyMethod = "close")
        LockRuntime runtime() {
            return LockRuntime.start();
        }

        @Bean
        LockProvider one(LockRuntime runtime) {
            return new FaultyLockProvider(new InMemoryLockProvider(runtime), "one");
        }

        @Bean
        LockProvider other(LockRuntime runtime) {
            return new FaultyLockProvider(new InMemoryLockProvider(runtime), "other");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReactiveApplication extends Application {

        @Bean
        ConnectionFactory connectionFactory() {
            return database.connections();
        }

        @Bean
        R2dbcTransactionManager manager(ConnectionFactory connectionFactory) {
            return new R2dbcTransactionManager(connectionFactory);
        }
    }
}
