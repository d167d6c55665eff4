package io.distlock.jdbc.fence;

import io.distlock.LockKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A fence of JDBC transactions at a database. */
abstract class JdbcFenceFixture extends FenceFixture {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    JdbcFence fence;

    @BeforeAll
    void prepare() {
        fence = new JdbcFence(database.dataSource(), TABLE, "redis");
        fence.verify();
    }

    @AfterAll
    void end() {
        threads.shutdownNow();
    }

    final void advance(LockKey key, long token) {
        in(() -> fence.advance(exclusive(key, token)));
    }

    final void in(Runnable work) {
        database.transaction().executeWithoutResult(status -> work.run());
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

    interface Work {
        void run() throws Exception;
    }
}
