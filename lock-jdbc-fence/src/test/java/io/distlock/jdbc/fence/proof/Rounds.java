package io.distlock.jdbc.fence.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.jdbc.fence.Database;
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

    private static final Duration PATIENCE = Duration.ofSeconds(60);

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
                if (!gate.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    throw new IllegalStateException("nobody let the writer go on");
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private record Writer(Paused paused, CompletableFuture<Victim.Outcome> outcome) {}

    /** One writer against one next holder; each kind of work meets each fault, and in both orders. */
    void run(Work work, Duration lease, int number, Tally tally) {
        Fault fault = FAULTS.get(number % FAULTS.size());
        Resume resume = RESUMES.get(number / FAULTS.size() % RESUMES.size());
        Writer writer = begin(work, lease);
        FencingToken token = writer.paused.token.join();
        store.cutOff();
        take(fault, LockKey.of("account", work.account()), token);

        CompletableFuture<Void> granted = new CompletableFuture<>();
        CompletableFuture<Void> next =
                CompletableFuture.runAsync(() -> rival.write(work, () -> granted.complete(null)), threads);
        get("the next holder to get the lock", CompletableFuture.anyOf(granted, next));
        if (resume == Resume.AFTER_THE_NEXT_HOLDER) {
            await().atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> next.isDone() || database.waiting() > 0);
        }
        boolean overtaken = next.isDone();
        writer.paused.gate.countDown();
        Victim.Outcome outcome = get("the writer to end", writer.outcome);
        get("the next holder to end", next);
        boolean booked = new Bookings(database.jdbc(), work.table()).has(work.account(), token.value());
        tally.add(outcome, overtaken, booked);
    }

    /** Begins again if the database refuses the writer before it pauses: the other stores' rounds may conflict at the fence. */
    private Writer begin(Work work, Duration lease) {
        while (true) {
            Paused paused = new Paused(new CompletableFuture<>(), new CountDownLatch(1));
            CompletableFuture<Victim.Outcome> outcome = CompletableFuture.supplyAsync(
                    () -> victim.write(work, lease, paused::at, store::reconnect), threads);
            get("the writer to pause", CompletableFuture.anyOf(paused.token, outcome));
            if (paused.token.isDone()) {
                return new Writer(paused, outcome);
            }
            assertThat(outcome).isCompletedWithValue(Victim.Outcome.CONFLICT);
        }
    }

    private void take(Fault fault, LockKey key, FencingToken token) {
        switch (fault) {
            case STOLEN -> rival.locks().forceRelease(key, token);
            case EMPTIED -> store.empty();
            case CLOCKS_STEPPED -> store.stepClocks(key);
        }
    }

    private static <T> T get(String what, CompletableFuture<T> future) {
        assertThat(future).as(what).succeedsWithin(PATIENCE);
        return future.join();
    }
}
