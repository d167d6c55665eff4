package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.jdbc.fence.Database;
import io.distlock.jdbc.fence.FenceTable;
import io.distlock.jdbc.fence.JdbcFence;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** A stock, and the next holder of its lock, which comes over another connection. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OvertakenFixture {

    static final int PIECES = 100;

    Database database;
    private JdbcFence next;
    private long tokens = 1_000_000;

    abstract Database start();

    /** Statements that end the database's transaction, though not Spring's. */
    final List<String> implicitCommits() {
        return database.implicitCommits();
    }

    @BeforeAll
    void createStock() {
        database = start();
        next = new JdbcFence(database.dataSource(), new FenceTable(FenceTable.DEFAULT_NAME, "lock"), "in-memory");
        database.jdbc().execute("create table stock (pieces int)");
        database.jdbc().execute("create table staging (id int)");
        database.jdbc().update("insert into stock values (0)");
    }

    @AfterAll
    void close() {
        database.close();
    }

    @BeforeEach
    void fill() {
        database.jdbc().update("delete from distributed_lock_fence");
        database.jdbc().update("update stock set pieces = ?", PIECES);
    }

    /** The next holder sells a piece, to its end. A wait for what this thread has locked would not end. */
    final void sellNext() {
        try {
            CompletableFuture.runAsync(this::sellOne).get(30, TimeUnit.SECONDS);
        } catch (Exception failure) {
            throw new AssertionError("the next holder waits, or has failed", failure);
        }
    }

    final void sellOne() {
        database.transaction().executeWithoutResult(status -> {
            next.advance(
                    "in-memory", new Sequencer(LockKey.of("stock"), LockMode.EXCLUSIVE, new FencingToken(++tokens)));
            database.jdbc().update("update stock set pieces = pieces - 1");
        });
    }

    final int pieces() {
        return Objects.requireNonNull(database.jdbc().queryForObject("select pieces from stock", Integer.class));
    }
}
