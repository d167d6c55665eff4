package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.LockClient;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnNotAcquired;
import io.distlock.spring.ReactiveLockContext;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** A fallback runs under the locks of the calls around it, though not under the one that was not acquired. */
class FallbackInTransactionTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @SuppressWarnings("unused") // by their names
    static class Jobs {

        @DistributedLock(name = "outer", renew = false, leaseTime = "10s")
        public String outer(Callable<String> body) throws Exception {
            return body.call();
        }

        @DistributedLock("outer")
        public String again() {
            return "again";
        }

        @DistributedLock(name = "busy", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        public String blocking(Supplier<String> fallback) {
            throw new IllegalStateException("another holds the lock");
        }

        private String instead(Supplier<String> fallback) {
            return fallback.get();
        }

        @DistributedLock(name = "busy", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "later")
        public CompletableFuture<String> future(Supplier<String> fallback) {
            return CompletableFuture.failedFuture(new IllegalStateException("another holds the lock"));
        }

        private CompletableFuture<String> later(Supplier<String> fallback) {
            return CompletableFuture.completedFuture(fallback.get());
        }

        @DistributedLock(name = "busy", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "subscribed")
        public Mono<String> publisher(Supplier<Mono<String>> fallback) {
            return Mono.error(new IllegalStateException("another holds the lock"));
        }

        private Mono<String> subscribed(Supplier<Mono<String>> fallback) {
            return fallback.get();
        }
    }

    private interface Work {

        void with(Jobs jobs, Supplier<String> commitAfterTheLoss) throws Exception;
    }

    /** Another process holds {@code busy}. Nothing is committed. */
    private static void whileAnotherHolds(Work work) {
        Database.runner().withBean(Jobs.class).run(context -> {
            Database database = context.getBean(Database.class);
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            LockClient other = LockTestContext.another(context);
            other.acquire(other.request("busy").withLeaseTime(Duration.ofMinutes(1)));
            work.with(
                    context.getBean(Jobs.class),
                    () -> transactions.execute(status -> {
                        database.insert("stale");
                        context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
                        return "committed";
                    }));
            assertThat(database.rows()).isEmpty();
        });
    }

    /** The outer call fails, whatever carries the failure out of the fallback. */
    private static void assertLost(Callable<String> outer) {
        assertThat(catchThrowable(outer::call)).hasStackTraceContaining("LockLostException");
    }

    @Test
    void theFallbackOfABlockingMethodCommitsNothingUnderALostLock() {
        whileAnotherHolds((jobs, commit) -> assertLost(() -> jobs.outer(() -> jobs.blocking(commit))));
    }

    @Test
    void theFallbackOfAFutureCommitsNothingUnderALostLock() {
        whileAnotherHolds((jobs, commit) ->
                assertLost(() -> jobs.outer(() -> jobs.future(commit).get(30, TimeUnit.SECONDS))));
    }

    @Test
    void theFallbackOfAPublisherCommitsNothingUnderALostLock() {
        whileAnotherHolds((jobs, commit) -> assertLost(() ->
                jobs.outer(() -> jobs.publisher(() -> Mono.just(commit.get())).block(PATIENCE))));
    }

    @Test
    void theFallbackSeesTheLocksOfTheCallsAroundItAndRunsUnderThem() {
        whileAnotherHolds((jobs, commit) -> {
            Supplier<String> again = () -> LockContext.current().keys() + jobs.again();
            assertThat(jobs.outer(() -> jobs.blocking(again))).isEqualTo("[outer]again");
            assertThat(jobs.outer(() -> jobs.future(again).get(30, TimeUnit.SECONDS)))
                    .isEqualTo("[outer]again");
            assertThat(jobs.outer(
                            () -> jobs.publisher(() -> Mono.just(again.get())).block(PATIENCE)))
                    .isEqualTo("[outer]again");
            assertThat(jobs.outer(() -> jobs.publisher(
                                    () -> ReactiveLockContext.current().map(held -> held.keys() + "again"))
                            .block(PATIENCE)))
                    .isEqualTo("[outer]again");
        });
    }
}
