package io.distlock.jdbc.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.Savepoint;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holders that are overtaken after a statement has ended the database's transaction, though not Spring's: the row is free. */
abstract class ImplicitCommitContract extends OvertakenTransactionContract {

    @ParameterizedTest
    @MethodSource("implicitCommits")
    void aHolderThatIsOvertakenAfterwardsDoesNotCommit(String statement) {
        assertStale(() -> sell(() -> {
            jdbc.execute(statement);
            sellNext();
        }));
        assertThat(pieces()).isEqualTo(PIECES - 1);
    }

    @ParameterizedTest
    @MethodSource("implicitCommits")
    void aHolderThatNobodyHasOvertakenCommits(String statement) {
        sell(() -> jdbc.execute(statement));
        assertThat(pieces()).isEqualTo(PIECES - 1);
        sellNext();
    }

    @ParameterizedTest
    @MethodSource("implicitCommits")
    void aNewTransactionInsideOneThatIsOvertakenAfterwardsDoesNotCommit(String statement) {
        assertStale(() -> sell(() -> {
            jdbc.execute(statement);
            sellNext();
            assertStale(() -> anew().executeWithoutResult(inner -> jdbc.update("update stock set pieces = 0")));
        }));
        assertThat(pieces()).isEqualTo(PIECES - 1);
    }

    @ParameterizedTest
    @MethodSource("implicitCommits")
    void theNextHolderWaitsForANewTransactionInside(String statement) throws Exception {
        AtomicReference<CompletableFuture<Void>> next = new AtomicReference<>();
        sell(() -> {
            jdbc.execute(statement);
            anew().executeWithoutResult(inner -> {
                next.set(CompletableFuture.runAsync(this::sellOne));
                await().until(() -> database.waiting() == 1);
            });
        });
        next.get().get(30, TimeUnit.SECONDS);
        assertThat(pieces()).isEqualTo(PIECES - 2);
    }

    @Test
    void aHolderThatIsOvertakenAfterACommitByHandDoesNotCommit() {
        assertStale(() -> sell(() -> {
            onConnection(Connection::commit);
            sellNext();
        }));
        assertThat(pieces()).isEqualTo(PIECES - 1);
    }

    @Test
    void aHolderThatIsOvertakenAfterARollbackPastTheFenceDoesNotCommit() {
        assertStale(() -> transaction().executeWithoutResult(status -> {
            AtomicReference<Savepoint> savepoint = new AtomicReference<>();
            onConnection(connection -> savepoint.set(connection.setSavepoint()));
            locks.lock("stock").run(() -> {});
            onConnection(connection -> connection.rollback(savepoint.get()));
            sellNext();
            jdbc.update("update stock set pieces = 0");
        }));
        assertThat(pieces()).isEqualTo(PIECES - 1);
    }

    /** Reads the stock and writes one piece less, and does something in between. */
    private void sell(Runnable between) {
        locks.lock("stock")
                .run(() -> transaction().executeWithoutResult(status -> {
                    int pieces = jdbc.queryForObject("select pieces from stock", Integer.class);
                    between.run();
                    jdbc.update("update stock set pieces = ?", pieces - 1);
                }));
    }
}
