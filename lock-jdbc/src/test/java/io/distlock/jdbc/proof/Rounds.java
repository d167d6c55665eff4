package io.distlock.jdbc.proof;

import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.jdbc.Database;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Rounds in one JVM: a writer pauses under its lock, the lock is taken from it, the next holder comes, and the writer goes on.
 */
record Rounds(LockStore store, Database database, Victim victim, Rival rival, ExecutorService threads) {

    private static final long PATIENCE_SECONDS = 60;
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final List<Fault> FAULTS = List.of(Fault.values());
    private static final List<Resume> RESUMES = List.of(Resume.values());

    /** How a holder loses its lock. */
    enum Fault {
        STOLEN,
        EMPTIED,
        CLOCKS_STEPPED
    }

    /** When the writer goes on. */
    private enum Resume {
        AFTER_THE_NEXT_HOLDER,
        TOGETHER_WITH_IT
    }

    /** The writer's token, and what the test holds it back with. */
    private record Paused(CompletableFuture<FencingToken> token, CountDownLatch gate) {

        void at(FencingToken own) {
            token.complete(own);
            try {
                if (!gate.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("nobody let the writer go on");
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** One writer against one next holder; each kind of work meets each fault, and in both orders. */
    void run(Work work, int number, Tally tally) {
        Fault fault = FAULTS.get(number % FAULTS.size());
        Resume resume = RESUMES.get(number / FAULTS.size() % RESUMES.size());
        Paused paused = new Paused(new CompletableFuture<>(), new CountDownLatch(1));
        CompletableFuture<Victim.Outcome> writing =
                CompletableFuture.supplyAsync(() -> victim.write(work, LEASE, paused::at, store::reconnect), threads);
        FencingToken token = get(CompletableFuture.anyOf(paused.token, writing).thenCompose(any -> paused.token));
        store.cutOff();
        take(fault, LockKey.of("account", work.account()), token);

        CompletableFuture<Void> granted = new CompletableFuture<>();
        CompletableFuture<Void> next =
                CompletableFuture.runAsync(() -> rival.write(work, () -> granted.complete(null)), threads);
        get(CompletableFuture.anyOf(granted, next));
        if (resume == Resume.AFTER_THE_NEXT_HOLDER) {
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> next.isDone() || database.waiting() > 0);
        }
        boolean overtaken = next.isDone();
        paused.gate.countDown();
        Victim.Outcome outcome = get(writing);
        get(next);
        boolean booked = new Bookings(database.jdbc(), work.table()).has(work.account(), token.value());
        tally.add(outcome, overtaken, booked);
    }

    private void take(Fault fault, LockKey key, FencingToken token) {
        switch (fault) {
            case STOLEN -> rival.locks().forceRelease(key, token);
            case EMPTIED -> store.empty();
            case CLOCKS_STEPPED -> store.stepClocks(key);
        }
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }
}
