package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Rounds of two holders of one lock that both book the next number of an account in reactive transactions. The first one's lock
 * is gone, which it does not know. In one half of the rounds the later holder commits between the first one's transaction that
 * reads and the one that books, in the other half it comes while the first one's only transaction is open.
 */
final class R2dbcRounds {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int ROUNDS = 6;
    private static final int[] ISOLATIONS = {
        TransactionDefinition.ISOLATION_READ_COMMITTED,
        TransactionDefinition.ISOLATION_REPEATABLE_READ,
        TransactionDefinition.ISOLATION_SERIALIZABLE
    };

    private final Database database;
    private final R2dbcTransactionManager manager;
    private final Function<Sequencer, Mono<Void>> fence;
    private final DatabaseClient client;
    private final String table = "booking_" + UUID.randomUUID().toString().replace('-', '_');
    private long tokens;
    private int refused;

    /** @param fence what each transaction begins with */
    R2dbcRounds(Database database, R2dbcTransactionManager manager, Function<Sequencer, Mono<Void>> fence) {
        this.database = database;
        this.manager = manager;
        this.fence = fence;
        this.client = DatabaseClient.create(Objects.requireNonNull(manager.getConnectionFactory()));
        String id = database.url().startsWith("jdbc:postgresql") ? "id serial" : "id int auto_increment";
        database.jdbc().execute("create table " + table + " (" + id + " primary key, number int, token bigint)");
    }

    void run() {
        for (int isolation : ISOLATIONS) {
            for (int round = 0; round < ROUNDS; round++) {
                LockKey key = LockKey.of("account", table);
                Holder stale =
                        new Holder(new Sequencer(key, LockMode.EXCLUSIVE, new FencingToken(++tokens)), isolation);
                Holder later =
                        new Holder(new Sequencer(key, LockMode.EXCLUSIVE, new FencingToken(++tokens)), isolation);
                if (round % 2 == 0) {
                    betweenTransactions(stale, later);
                } else {
                    inTheMiddle(stale, later);
                }
            }
        }
    }

    private void betweenTransactions(Holder stale, Holder later) {
        int last = Objects.requireNonNull(stale.in(read()).block(PATIENCE));
        later.book().block(PATIENCE);
        end(stale.in(stale.insert(last + 1)).toFuture());
    }

    private void inTheMiddle(Holder stale, Holder later) {
        CompletableFuture<Void> read = new CompletableFuture<>();
        CompletableFuture<Void> resume = new CompletableFuture<>();
        CompletableFuture<Void> writing = stale.in(read().doOnNext(last -> read.complete(null))
                        .delayUntil(last -> Mono.fromFuture(resume))
                        .flatMap(last -> stale.insert(last + 1)))
                .toFuture();
        assertThat(CompletableFuture.anyOf(read, writing)).succeedsWithin(PATIENCE);
        CompletableFuture<Void> next = later.book().toFuture();
        await().until(() -> next.isDone() || database.waiting() == 1);
        resume.complete(null);
        end(writing);
        assertThat(next).succeedsWithin(PATIENCE);
    }

    /** A conflict that the database itself has found is as good as a refusal. */
    private void end(CompletableFuture<Void> writing) {
        try {
            writing.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        } catch (CompletionException failure) {
            assertThat(failure.getCause())
                    .isInstanceOfAny(StaleFencingTokenException.class, ConcurrencyFailureException.class);
            refused++;
        }
    }

    int refused() {
        return refused;
    }

    /** Numbers that were booked twice. */
    int lostUpdates() {
        return count("select count(*) - count(distinct number) from " + table);
    }

    /** Bookings that came after one with a larger token. */
    int staleCommits() {
        return count("select count(*) from %1$s one where exists (select 1 from %1$s other".formatted(table)
                + " where other.number <= one.number and other.id < one.id and other.token > one.token)");
    }

    private int count(String sql) {
        return Objects.requireNonNull(database.jdbc().queryForObject(sql, Integer.class));
    }

    private Mono<Integer> read() {
        return client.sql("select coalesce(max(number), 0) as last from " + table)
                .map(row -> Objects.requireNonNull(row.get("last", Integer.class)))
                .one();
    }

    private final class Holder {

        private final Sequencer sequencer;
        private final TransactionalOperator transaction;

        Holder(Sequencer sequencer, int isolation) {
            this.sequencer = sequencer;
            DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
            definition.setIsolationLevel(isolation);
            transaction = TransactionalOperator.create(manager, definition);
        }

        <T> Mono<T> in(Mono<T> work) {
            return transaction.transactional(fence.apply(sequencer).then(work));
        }

        Mono<Void> book() {
            return in(read().flatMap(last -> insert(last + 1)))
                    .retryWhen(Retry.max(20).filter(ConcurrencyFailureException.class::isInstance));
        }

        Mono<Void> insert(int number) {
            return client.sql("insert into " + table + " (number, token) values (:number, :token)")
                    .bind("number", number)
                    .bind("token", sequencer.token().value())
                    .then();
        }
    }
}
