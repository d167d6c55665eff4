package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spring.template.LockTemplate;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** {@link ImplicitCommitContract} for reactive transactions. */
abstract class R2dbcImplicitCommitContract extends OvertakenFixture {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private ConfigurableApplicationContext context;
    private LockTemplate locks;
    private DatabaseClient client;
    private TransactionalOperator transaction;
    private TransactionalOperator anew;

    @BeforeAll
    void startApplication() {
        ConnectionFactory connections = database.connections();
        ApplicationContextInitializer<GenericApplicationContext> known =
                application -> application.registerBean(ConnectionFactory.class, () -> connections);
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .initializers(known)
                .run("--distributed-lock.provider=in-memory", "--distributed-lock.r2dbc.fencing.enabled=true");
        locks = context.getBean(LockTemplate.class);
        client = DatabaseClient.create(connections);
        transaction = context.getBean("transaction", TransactionalOperator.class);
        anew = context.getBean("anew", TransactionalOperator.class);
    }

    @AfterAll
    void stopApplication() {
        context.close();
    }

    @ParameterizedTest
    @MethodSource("implicitCommits")
    void aHolderThatIsOvertakenAfterwardsDoesNotCommit(String statement) {
        assertStale(sell(sql(statement).then(next())));
        assertThat(pieces()).isEqualTo(PIECES - 1);
    }

    @ParameterizedTest
    @MethodSource("implicitCommits")
    void aHolderThatNobodyHasOvertakenCommits(String statement) {
        sell(sql(statement)).block(PATIENCE);
        assertThat(pieces()).isEqualTo(PIECES - 1);
        sellNext();
    }

    @ParameterizedTest
    @MethodSource("implicitCommits")
    void aNewTransactionInsideOneThatIsOvertakenAfterwardsDoesNotCommit(String statement) {
        Mono<Void> inside = anew.transactional(sql("update stock set pieces = 0"))
                .then(Mono.<Void>error(() -> new AssertionError("it was not refused")))
                .onErrorComplete(StaleFencingTokenException.class);
        assertStale(sell(sql(statement).then(next()).then(inside)));
        assertThat(pieces()).isEqualTo(PIECES - 1);
    }

    /** Reads the stock and writes one piece less, and does something in between. */
    private Mono<Void> sell(Mono<Void> between) {
        return locks.lock("stock")
                .mono(() -> transaction.transactional(client.sql("select pieces from stock")
                        .map(row -> row.get(0, Integer.class))
                        .one()
                        .flatMap(pieces -> between.then(sql("update stock set pieces = " + (pieces - 1))))));
    }

    private Mono<Void> next() {
        return Mono.<Void>fromRunnable(this::sellNext).subscribeOn(Schedulers.boundedElastic());
    }

    private Mono<Void> sql(String statement) {
        return client.sql(statement).then();
    }

    private static void assertStale(Mono<?> work) {
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> work.block(PATIENCE));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        R2dbcTransactionManager transactionManager(ConnectionFactory connections) {
            return new R2dbcTransactionManager(connections);
        }

        @Bean
        TransactionalOperator transaction(R2dbcTransactionManager manager) {
            return TransactionalOperator.create(manager);
        }

        @Bean
        TransactionalOperator anew(R2dbcTransactionManager manager) {
            return TransactionalOperator.create(
                    manager, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
        }
    }
}
