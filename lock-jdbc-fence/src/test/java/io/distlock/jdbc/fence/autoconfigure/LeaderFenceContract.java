package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.jdbc.fence.Database;
import io.distlock.jdbc.fence.FenceTable;
import io.distlock.jdbc.fence.JdbcFence;
import io.distlock.leader.LeaderElection;
import io.distlock.spring.DistributedLock.Fencing;
import io.distlock.spring.LockContext;
import io.distlock.spring.leader.LeaderElections;
import io.distlock.spring.leader.LeaderOnly;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Transactional;

/** A leader with a fence, which the leader of a later term may have overtaken, on each database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LeaderFenceContract {

    private static final String ROLE = "report";

    private Database database;
    private JdbcFence next;
    private ConfigurableApplicationContext context;
    private LeaderElection election;
    private Reports reports;

    abstract Database start();

    @BeforeAll
    void startApplication() {
        database = start();
        next = new JdbcFence(database.dataSource(), new FenceTable(FenceTable.DEFAULT_NAME, "lock"), "in-memory");
        database.jdbc().execute("create table report (term bigint)");
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--distributed-lock.provider=in-memory",
                        "--distributed-lock.leader.roles.report.lease-time=60s",
                        "--distributed-lock.jdbc.fencing.enabled=true",
                        "--spring.datasource.url=" + database.url(),
                        "--spring.datasource.username=" + database.user(),
                        "--spring.datasource.password=");
        election = context.getBean(LeaderElections.class).get(ROLE);
        reports = context.getBean(Reports.class);
        await().until(election::isLeader);
    }

    @AfterAll
    void stopApplication() {
        context.close();
        database.close();
    }

    @BeforeEach
    void empty() {
        database.jdbc().update("delete from report");
        database.jdbc().update("delete from distributed_lock_fence");
    }

    private long term() {
        return election.term().orElseThrow().token().value();
    }

    /** The leader of a later term writes, while this one does not know of it yet. */
    private void overtake() {
        database.transaction().executeWithoutResult(status -> {
            next.advance("in-memory", new Sequencer(election.key(), LockMode.EXCLUSIVE, new FencingToken(term() + 1)));
            database.jdbc().update("insert into report values (?)", term() + 1);
        });
    }

    private void assertOnlyTheLaterTermHasWritten() {
        assertThat(database.jdbc().queryForList("select term from report", Long.class))
                .containsExactly(term() + 1);
    }

    @Test
    void theTermIsTheTokenOfTheFence() {
        reports.write();
        assertThat(database.jdbc().queryForList("select token from distributed_lock_fence", Long.class))
                .containsExactly(term());
        assertThat(database.jdbc().queryForList("select term from report", Long.class))
                .containsExactly(term());
    }

    @Test
    void aLateLeaderIsRefused() {
        overtake();
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(reports::write);
        assertOnlyTheLaterTermHasWritten();
    }

    @Test
    void aLeaderThatIsOvertakenBetweenTwoTransactionsIsRefusedInTheSecond() {
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> reports.twice(() -> {
                    empty();
                    overtake();
                }));
        assertOnlyTheLaterTermHasWritten();
    }

    @Test
    void aLateLeaderIsRefusedOnAnotherThreadToo() {
        overtake();
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> reports.later().join())
                .withCauseInstanceOf(StaleFencingTokenException.class);
        assertOnlyTheLaterTermHasWritten();
    }

    @Test
    void withoutTheFenceALateLeaderWrites() {
        overtake();
        reports.unfenced();
        assertThat(database.jdbc().queryForList("select term from report", Long.class))
                .containsExactlyInAnyOrder(term(), term() + 1);
    }

    static class Reports {

        private final Book book;

        Reports(Book book) {
            this.book = book;
        }

        @LeaderOnly(ROLE)
        public void write() {
            book.write();
        }

        @LeaderOnly(ROLE)
        public void twice(Runnable meanwhile) {
            book.write();
            meanwhile.run();
            book.write();
        }

        /** The body of a future's method has its lock on the thread that runs it. */
        @LeaderOnly(ROLE)
        public CompletableFuture<Void> later() {
            book.write();
            return CompletableFuture.completedFuture(null);
        }

        @LeaderOnly(role = ROLE, fencing = Fencing.OFF)
        public void unfenced() {
            book.write();
        }
    }

    static class Book {

        private final JdbcTemplate jdbc;

        Book(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        public void write() {
            jdbc.update(
                    "insert into report values (?)",
                    LockContext.current().fencingToken().value());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Book book(JdbcTemplate jdbc) {
            return new Book(jdbc);
        }

        @Bean
        Reports reports(Book book) {
            return new Reports(book);
        }
    }
}
