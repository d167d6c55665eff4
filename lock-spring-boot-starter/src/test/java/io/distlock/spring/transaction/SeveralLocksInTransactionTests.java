package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockNotAcquiredException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnNotAcquired;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.annotation.Transactional;

/** Several locks that are taken inside a transaction: it keeps all of them, or none. */
class SeveralLocksInTransactionTests {

    private static final LockKey FIRST = LockKey.of("a");
    private static final LockKey SECOND = LockKey.of("b");

    private final ApplicationContextRunner runner =
            Database.runner().withBean(Jobs.class).withBean(Service.class);

    static class Jobs {

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock("b")
        public void telling() {}

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock(name = "b", onNotAcquired = OnNotAcquired.SKIP)
        public void skipping() {}

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock(name = "b", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        public void replaced() {}

        @DistributedLock("a")
        @DistributedLock(name = "b", renew = false, leaseTime = "10s")
        public void secondNotRenewed() {}

        @SuppressWarnings("unused") // by its name
        private void instead() {}

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock("b")
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("done");
        }
    }

    static class Service {

        private final Jobs jobs;
        private final Database database;

        Service(Jobs jobs, Database database) {
            this.jobs = jobs;
            this.database = database;
        }

        @Transactional
        public void in(Consumer<Jobs> work) {
            work.accept(jobs);
            database.insert("row");
            database.note("end");
        }
    }

    /** The first lock is not even there, and so what becomes of it does not matter to the commit. */
    private void assertNoneIsKept(Consumer<Jobs> call) {
        runner.run(context -> {
            LockClient other = LockTestContext.another(context);
            try (HeldLock held = other.acquire(other.request(SECOND))) {
                context.getBean(Service.class).in(jobs -> {
                    call.accept(jobs);
                    assertThat(other.inspect(FIRST)).isEmpty();
                    context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
                });
                assertThat(held.isHeld()).isTrue();
            }
            assertThat(context.getBean(Database.class).rows()).containsExactly("row");
        });
    }

    @Test
    void ifTheSecondCannotBeHadTheFirstIsGivenBackAtOnceAndTheCommitPasses() {
        assertNoneIsKept(jobs -> assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(jobs::telling)
                .satisfies(refusal -> assertThat(refusal.key()).isEqualTo(SECOND)));
    }

    @Test
    void aCallThatIsSkippedLeavesNothingInTheTransaction() {
        assertNoneIsKept(Jobs::skipping);
    }

    @Test
    void aCallThatIsReplacedLeavesNothingInTheTransaction() {
        assertNoneIsKept(Jobs::replaced);
    }

    @Test
    void aFutureThatIsRefusedLeavesNothingInTheTransaction() {
        assertNoneIsKept(jobs -> assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> jobs.future().join())
                .withCauseInstanceOf(LockNotAcquiredException.class));
    }

    /** It is closed first. The other one would be renewed for as long as a lock may be held. */
    @Test
    void theLossOfOneDoesNotKeepTheOthers() {
        runner.run(context -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> context.getBean(Service.class).in(jobs -> {
                        jobs.secondNotRenewed();
                        context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
                    }))
                    .satisfies(lost -> assertThat(lost.key()).isEqualTo(SECOND));
            assertThat(context.getBean(Database.class).rows()).isEmpty();
            assertThat(LockTestContext.another(context).inspect(FIRST)).isEmpty();
        });
    }

    private static void assertBothAreKept(AssertableApplicationContext context, Consumer<Jobs> call) {
        context.getBean(Service.class).in(call);
        assertThat(context.getBean(Database.class).journal())
                .containsExactly("acquired a", "acquired b", "end", "released b, visible 1", "released a, visible 1");
    }

    @Test
    void ifAllAreHadAllAreGivenBackAfterTheCommitLastFirst() {
        runner.run(context -> assertBothAreKept(context, Jobs::telling));
    }

    @Test
    void soAreThoseOfAFuture() {
        runner.run(context -> assertBothAreKept(
                context, jobs -> assertThat(jobs.future().join()).isEqualTo("done")));
    }
}
