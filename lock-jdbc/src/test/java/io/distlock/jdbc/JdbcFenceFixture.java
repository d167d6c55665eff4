package io.distlock.jdbc;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** A fence at a database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcFenceFixture {

    private static final FenceTable TABLE = new FenceTable(FenceTable.DEFAULT_NAME, "lock");

    private final ExecutorService threads = Executors.newCachedThreadPool();
    Database database;
    JdbcFence fence;

    abstract Database start();

    @BeforeAll
    void prepare() {
        database = start();
        fence = new JdbcFence(database.dataSource(), TABLE, "redis");
        fence.verify();
    }

    @AfterAll
    void end() {
        threads.shutdownNow();
        database.close();
    }

    final void advance(LockKey key, long token) {
        in(() -> fence.advance(exclusive(key, token)));
    }

    final void in(Runnable work) {
        database.transaction().executeWithoutResult(status -> work.run());
    }

    final long token(LockKey key) {
        Long token = database.jdbc()
                .queryForObject(
                        "select token from distributed_lock_fence where lock_key = ?", Long.class, TABLE.key(key));
        return token == null ? 0 : token;
    }

    final long rows(LockKey key) {
        Long rows = database.jdbc()
                .queryForObject(
                        "select count(*) from distributed_lock_fence where lock_key = ?", Long.class, TABLE.key(key));
        return rows == null ? 0 : rows;
    }

    final CompletableFuture<Void> run(Work work) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException failure) {
                        throw failure;
                    } catch (Exception failure) {
                        throw new CompletionException(failure);
                    }
                },
                threads);
    }

    static LockKey unique() {
        return LockKey.of("orders", UUID.randomUUID().toString());
    }

    static Sequencer exclusive(LockKey key, long token) {
        return new Sequencer(key, LockMode.EXCLUSIVE, new FencingToken(token));
    }

    static Sequencer shared(LockKey key, long token) {
        return new Sequencer(key, LockMode.SHARED, new FencingToken(token));
    }

    interface Work {
        void run() throws Exception;
    }
}
