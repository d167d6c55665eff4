package io.distlock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderTerm;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Mono;

/** Which calls of {@link LeaderOnly} methods run, and under what. */
class LeaderOnlyTests {

    private static final String ROLE = "report";

    private final ApplicationContextRunner runner = LockTestContext.inMemory()
            .withBean(Jobs.class)
            .withBean(Inner.class)
            .withBean(LockedType.class)
            .withPropertyValues("distributed-lock.leader.roles.report.auto-start=false", "the.role=report");

    static class Inner {

        @LeaderOnly(ROLE)
        public FencingToken token() {
            return LockContext.current().fencingToken();
        }
    }

    static class Jobs {

        private final Inner inner;
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);

        Jobs(Inner inner) {
            this.inner = inner;
        }

        @LeaderOnly(role = "${the.role}")
        public String run() {
            return "ran";
        }

        @LeaderOnly(ROLE)
        public List<LockKey> keys() {
            return LockContext.current().keys();
        }

        @LeaderOnly(ROLE)
        public Optional<String> optional() {
            return Optional.of("ran");
        }

        @LeaderOnly(role = ROLE, otherwise = LeaderOnly.Otherwise.THROW)
        public int strict() {
            return 1;
        }

        @LeaderOnly(ROLE)
        public CompletableFuture<FencingToken> future() {
            return CompletableFuture.completedFuture(LockContext.current().fencingToken());
        }

        @LeaderOnly(ROLE)
        public Mono<String> mono() {
            return Mono.just("ran");
        }

        @LeaderOnly(ROLE)
        public Boolean inside() {
            return inner.token().equals(LockContext.current().fencingToken());
        }

        @LeaderOnly(ROLE)
        public Boolean untilAllowed() throws InterruptedException {
            entered.countDown();
            mayEnd.await();
            LockContext.current().ensureHeld();
            return true;
        }

        public boolean isEntered() {
            return entered.getCount() == 0;
        }

        public void mayEnd() {
            mayEnd.countDown();
        }

        @LeaderOnly(ROLE)
        @DistributedLock("orders")
        public List<LockKey> both() {
            return LockContext.current().keys();
        }
    }

    @DistributedLock("type")
    static class LockedType {

        @LeaderOnly(ROLE)
        public List<LockKey> method() {
            return LockContext.current().keys();
        }
    }

    private void onTheLeader(Consumer<ApplicationContext> test) {
        runner.run(context -> {
            LeaderElection election = election(context);
            election.stand();
            await().until(election::isLeader);
            test.accept(context);
        });
    }

    private static LeaderElection election(ApplicationContext context) {
        return context.getBean(LeaderElections.class).get(ROLE);
    }

    private static FencingToken term(ApplicationContext context) {
        return election(context).term().map(LeaderTerm::token).orElseThrow();
    }

    @Test
    void aCallOnTheLeaderRunsUnderTheLockOfItsTerm() {
        onTheLeader(context -> {
            Jobs jobs = context.getBean(Jobs.class);

            assertThat(jobs.run()).isEqualTo("ran");
            assertThat(jobs.keys()).containsExactly(LockKey.of("leader", ROLE));
            assertThat(context.getBean(Inner.class).token()).isEqualTo(term(context));
            assertThat(jobs.strict()).isEqualTo(1);
            assertThat(election(context).isLeader()).isTrue();
        });
    }

    @Test
    void aCallElsewhereDoesNotRunAndIsCounted() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);

            assertThat(jobs.run()).isNull();
            assertThat(jobs.optional()).isEmpty();
            assertThat(jobs.future().join()).isNull();
            assertThat(jobs.mono().blockOptional()).isEmpty();
            assertThat(context.getBean(LeaderElections.class).skipped(ROLE)).isEqualTo(4);
        });
    }

    @Test
    void aCallElsewhereThrowsIfItIsToldTo() {
        runner.run(context -> assertThatExceptionOfType(NotLeaderException.class)
                .isThrownBy(context.getBean(Jobs.class)::strict)
                .withMessageContaining("this instance does not lead 'report'")
                .satisfies(refusal -> assertThat(refusal.role()).isEqualTo(ROLE)));
    }

    @Test
    void futuresAndPublishersRunUnderTheTerm() {
        onTheLeader(context -> {
            assertThat(context.getBean(Jobs.class).future().join()).isEqualTo(term(context));
            assertThat(context.getBean(Jobs.class).mono().block()).isEqualTo("ran");
        });
    }

    @Test
    void aCallInsideAnotherHasTheSameLock() {
        onTheLeader(context -> assertThat(context.getBean(Jobs.class).inside()).isTrue());
    }

    @Test
    void aMethodMayAlsoTakeLocks() {
        onTheLeader(context -> {
            assertThat(context.getBean(Jobs.class).both())
                    .containsExactlyInAnyOrder(LockKey.of("leader", ROLE), LockKey.of("orders"));
            assertThat(context.getBean(LockedType.class).method())
                    .containsExactlyInAnyOrder(LockKey.of("leader", ROLE), LockKey.of("type"));
            assertThat(election(context).isLeader()).isTrue();
        });
    }

    @Test
    void aRunningCallFinishesBeforeAnotherInstanceCanLead() {
        onTheLeader(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            LockClient other = LockTestContext.another(context);
            CompletableFuture<Boolean> call = new CompletableFuture<>();
            Thread caller = new Thread(() -> call.complete(run(jobs)));
            caller.start();
            await().until(jobs::isEntered);
            CompletableFuture<HeldLock> next =
                    other.acquireAsync(other.request("leader", ROLE).withWaitTime(Duration.ofMinutes(1)));

            election(context).resign();
            assertThat(election(context).isLeader()).isFalse();
            assertThat(jobs.run()).isNull();
            assertThat(next).isNotDone();
            jobs.mayEnd();

            assertThat(call.join()).isTrue();
            assertThat(next.join().isHeld()).isTrue();
        });
    }

    private static Boolean run(Jobs jobs) {
        try {
            return jobs.untilAllowed();
        } catch (InterruptedException interrupt) {
            return false;
        }
    }
}
