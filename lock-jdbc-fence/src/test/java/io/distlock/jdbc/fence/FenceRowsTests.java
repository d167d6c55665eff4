package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.jdbc.fence.RowsModel.Advance;
import io.distlock.jdbc.fence.RowsModel.CommitByHand;
import io.distlock.jdbc.fence.RowsModel.Nested;
import io.distlock.jdbc.fence.RowsModel.New;
import io.distlock.jdbc.fence.RowsModel.Overtake;
import io.distlock.jdbc.fence.RowsModel.Row;
import io.distlock.jdbc.fence.RowsModel.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Random histories of transactions inside transactions: a fence answers as {@link RowsModel} does. */
class FenceRowsTests {

    private static final int HISTORIES = 300;

    private static final FenceTable TABLE = new FenceTable(FenceTable.DEFAULT_NAME, "lock");

    private static final List<Sequencer> GRANTS = List.of(
            FenceFixture.exclusive(LockKey.of("a"), 2),
            FenceFixture.exclusive(LockKey.of("a"), 4),
            FenceFixture.exclusive(LockKey.of("b"), 3),
            FenceFixture.shared(LockKey.of("a"), 3),
            FenceFixture.exclusive(LockKey.of("c"), 6));

    private static Database database;
    private static JdbcTemplate others;

    @BeforeAll
    static void open() {
        database = Database.h2();
        others = new JdbcTemplate(new DriverManagerDataSource(database.url(), database.user(), ""));
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void transactionsAreAnsweredAsTheModelSays() {
        JdbcFence fence = new JdbcFence(database.dataSource(), TABLE, "redis");
        for (int seed = 0; seed < HISTORIES; seed++) {
            New history = RowsModel.history(new Random(seed), GRANTS);
            List<String> expected = new RowsModel(false).run(history);
            others.update("delete from distributed_lock_fence");
            History blocking = new History(expected);
            blocking.step(history, fence);
            blocking.assertAnswers(seed + ": " + history);
        }
    }

    @Test
    void reactiveTransactionsAreAnsweredAsTheModelSays() {
        CountedConnections connections = (CountedConnections) database.connections();
        R2dbcFence fence = new R2dbcFence(connections, TABLE, "redis");
        R2dbcTransactionManager manager = new R2dbcTransactionManager(connections);
        DatabaseClient client = DatabaseClient.create(connections);
        for (int seed = 0; seed < HISTORIES; seed++) {
            New history = RowsModel.history(new Random(seed), GRANTS);
            List<String> expected = new RowsModel(true).run(history);
            others.update("delete from distributed_lock_fence");
            History reactive = new History(expected);
            reactive.step(history, fence, manager, client).block(Duration.ofMinutes(1));
            reactive.assertAnswers(seed + ": " + history);
        }
    }

    /** Takes the steps of a history, and notes what they are answered. */
    private record History(List<String> expected, List<String> answers) {

        History(List<String> expected) {
            this(expected, new ArrayList<>());
        }

        void step(Step step, JdbcFence fence) {
            if (step instanceof Advance advance) {
                answer("ok", () -> fence.advance(advance.provider(), advance.sequencer()));
            } else if (step instanceof New inner) {
                answer(
                        end(inner),
                        () -> in(
                                TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                                inner.rollback(),
                                () -> inner.steps().forEach(each -> step(each, fence))));
            } else if (step instanceof Nested inner) {
                in(
                        TransactionDefinition.PROPAGATION_NESTED,
                        inner.rollback(),
                        () -> inner.steps().forEach(each -> step(each, fence)));
            } else if (step instanceof CommitByHand) {
                database.jdbc().execute("commit");
            } else if (step instanceof Overtake other) {
                overtake(other);
            }
        }

        private static void in(int propagation, boolean rollback, Runnable work) {
            TransactionTemplate transaction = database.transaction();
            transaction.setPropagationBehavior(propagation);
            transaction.executeWithoutResult(status -> {
                work.run();
                if (rollback) {
                    status.setRollbackOnly();
                }
            });
        }

        private void answer(String success, Runnable work) {
            try {
                work.run();
                answers.add(success);
            } catch (RuntimeException failure) {
                answers.add(refusal(failure));
            }
        }

        Mono<Void> step(Step step, R2dbcFence fence, R2dbcTransactionManager manager, DatabaseClient client) {
            if (step instanceof Advance advance) {
                return answer("ok", fence.advance(advance.provider(), advance.sequencer()));
            } else if (step instanceof New inner) {
                return answer(
                        end(inner),
                        in(
                                manager,
                                TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                                inner.rollback(),
                                Flux.fromIterable(inner.steps())
                                        .concatMap(each -> step(each, fence, manager, client))));
            } else if (step instanceof Nested inner) {
                return in(
                        manager,
                        TransactionDefinition.PROPAGATION_NESTED,
                        inner.rollback(),
                        Flux.fromIterable(inner.steps()).concatMap(each -> step(each, fence, manager, client)));
            } else if (step instanceof CommitByHand) {
                return client.sql("commit").then();
            }
            return Mono.fromRunnable(() -> overtake((Overtake) step));
        }

        private static Mono<Void> in(
                R2dbcTransactionManager manager, int propagation, boolean rollback, Flux<Void> work) {
            Mono<Void> end = rollback ? Mono.error(new UnsupportedOperationException()) : Mono.empty();
            return TransactionalOperator.create(manager, new DefaultTransactionDefinition(propagation))
                    .transactional(work.then(end))
                    .onErrorComplete(UnsupportedOperationException.class);
        }

        private Mono<Void> answer(String success, Mono<Void> work) {
            return work.then(Mono.just(success))
                    .onErrorResume(failure -> Mono.just(refusal(failure)))
                    .doOnNext(answers::add)
                    .then();
        }

        private static String end(New transaction) {
            return transaction.rollback() ? "rolled back" : "committed";
        }

        /** Where it would not wait for a row. */
        private void overtake(Overtake other) {
            String answer = expected.get(answers.size());
            answers.add(answer);
            if (answer.equals("overtaken")) {
                Row row = rows().get(other.key());
                others.update(
                        "merge into distributed_lock_fence values (?, ?, 'redis:lock', current_timestamp)",
                        TABLE.key(LockKey.of(other.key())),
                        row == null ? 3 : row.token() + 2);
            }
        }

        private static String refusal(Throwable failure) {
            if (failure instanceof StaleFencingTokenException) {
                return "stale";
            }
            String message = String.valueOf(failure.getMessage());
            return message.contains("would wait for that one")
                    ? "self"
                    : message.contains("cannot be compared") ? "other" : failure.toString();
        }

        void assertAnswers(String history) {
            answers.add(RowsModel.text(rows()));
            assertThat(answers).as(history).isEqualTo(expected);
        }

        private static Map<String, Row> rows() {
            Map<String, Row> rows = new HashMap<>();
            others.query("select lock_key, provider, token from distributed_lock_fence", row -> {
                String key = Objects.requireNonNull(row.getString(1));
                rows.put(key.substring(0, key.indexOf('{')), new Row(row.getString(2), row.getLong(3)));
            });
            return rows;
        }
    }
}
