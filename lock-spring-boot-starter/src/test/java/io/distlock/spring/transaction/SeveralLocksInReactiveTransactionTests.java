package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockNotAcquiredException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnNotAcquired;
import io.distlock.spring.transaction.ReactiveTransactionTests.Service;
import io.distlock.spring.transaction.ReactiveTransactionTests.Table;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Several locks that are taken inside a reactive transaction: it keeps all of them, or none. */
class SeveralLocksInReactiveTransactionTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final LockKey FIRST = LockKey.of("a");
    private static final LockKey SECOND = LockKey.of("b");

    private final ApplicationContextRunner runner =
            ReactiveTransactionTests.runner().withBean(Jobs.class);

    static class Jobs {

        private final Table table;

        Jobs(Table table) {
            this.table = table;
        }

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock("b")
        public Mono<Void> telling() {
            return table.insert("job");
        }

        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock(name = "b", onNotAcquired = OnNotAcquired.SKIP)
        public Mono<Void> skipping() {
            return table.insert("job");
        }

        @DistributedLock("a")
        @DistributedLock(name = "b", renew = false, leaseTime = "10s")
        public Mono<Void> secondNotRenewed() {
            return table.insert("job");
        }
    }

    /** It is closed first. The other one would be renewed for as long as a lock may be held. */
    @Test
    void theLossOfOneDoesNotKeepTheOthers() {
        runner.run(context -> {
            Mono<Void> work = context.getBean(Jobs.class)
                    .secondNotRenewed()
                    .then(Mono.fromRunnable(
                            () -> context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11))));
            StepVerifier.create(context.getBean(Service.class).in(work))
                    .expectErrorSatisfies(lost -> assertThat(lost)
                            .isInstanceOfSatisfying(
                                    LockLostException.class,
                                    its -> assertThat(its.key()).isEqualTo(SECOND)))
                    .verify(PATIENCE);
            assertThat(context.getBean(Table.class).rows()).isEmpty();
            assertThat(LockTestContext.another(context).inspect(FIRST)).isEmpty();
        });
    }

    private void assertNoneIsKept(Function<Jobs, Mono<Void>> call) {
        runner.run(context -> {
            LockClient other = LockTestContext.another(context);
            Table table = context.getBean(Table.class);
            try (HeldLock held = other.acquire(other.request(SECOND))) {
                Mono<Void> work = call.apply(context.getBean(Jobs.class))
                        .then(Mono.fromRunnable(() -> {
                            assertThat(other.inspect(FIRST)).isEmpty();
                            context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
                        }))
                        .then(table.insert("row"));
                context.getBean(Service.class).in(work).block(PATIENCE);
                assertThat(held.isHeld()).isTrue();
            }
            assertThat(table.rows()).containsExactly("row");
        });
    }

    @Test
    void ifTheSecondCannotBeHadTheFirstIsGivenBackAtOnceAndTheCommitPasses() {
        assertNoneIsKept(jobs -> jobs.telling().onErrorResume(LockNotAcquiredException.class, refused -> Mono.empty()));
    }

    @Test
    void aSubscriptionThatIsSkippedLeavesNothingInTheTransaction() {
        assertNoneIsKept(Jobs::skipping);
    }

    @Test
    void ifAllAreHadAllAreGivenBackAfterTheCommit() {
        runner.run(context -> {
            LockClient other = LockTestContext.another(context);
            Mono<Void> work = context.getBean(Jobs.class).telling().then(Mono.fromRunnable(() -> {
                assertThat(other.inspect(FIRST)).isPresent();
                assertThat(other.inspect(SECOND)).isPresent();
            }));
            context.getBean(Service.class).in(work).block(PATIENCE);
            assertThat(context.getBean(Table.class).journal())
                    .containsExactly("released, visible 1", "released, visible 1");
            assertThat(other.inspect(FIRST)).isEmpty();
            assertThat(other.inspect(SECOND)).isEmpty();
        });
    }
}
