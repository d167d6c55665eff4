package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.DistributedLock.Fencing;
import io.distlock.spring.template.LockTemplate;
import io.distlock.spring.transaction.ReactiveTransactionTests.Table;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Which locks of a reactive transaction are shown to the resources that refuse stale holders, and when. */
class ReactiveFencingTests {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<String> shown = new CopyOnWriteArrayList<>();
    private final AtomicReference<String> refused = new AtomicReference<>("");

    private final ApplicationContextRunner runner = ReactiveTransactionTests.runner()
            .withBean("first", TransactionFence.Reactive.class, () -> fence(""))
            .withBean("second", TransactionFence.Reactive.class, () -> fence("'"))
            .withBean(Jobs.class)
            .withBean(Steps.class);

    private TransactionFence.Reactive fence(String mark) {
        return (provider, sequencer) -> Mono.fromRunnable(() -> {
            String entry = sequencer.key() + mark;
            shown.add(entry);
            if (refused.get().equals(entry)) {
                throw new CannotCreateTransactionException("no connection");
            }
        });
    }

    static class Jobs {

        private final Steps steps;
        private final Table table;

        Jobs(Steps steps, Table table) {
            this.steps = steps;
            this.table = table;
        }

        @Transactional
        @DistributedLock("a")
        @DistributedLock(name = "off", fencing = Fencing.OFF)
        public Mono<Void> write(Mono<Void> work) {
            return table.insert("row").then(work);
        }

        public Mono<Void> aStepThatFails() {
            return steps.nested().onErrorResume(IllegalStateException.class, failure -> Mono.empty());
        }
    }

    static class Steps {

        @Transactional(propagation = Propagation.NESTED)
        public Mono<Void> nested() {
            return Mono.error(new IllegalStateException("of the step"));
        }
    }

    @Test
    void eachResourceIsShownTheLockOnceAsTheTransactionBegins() {
        runner.run(context -> {
            context.getBean(Jobs.class).write(Mono.empty()).block(PATIENCE);
            assertThat(shown).containsExactly("a", "a'");
        });
    }

    /** It is released before the commit, but what it wrote is part of the transaction. */
    @Test
    void aLockThatIsNotHeldUntilCompletionIsShownBeforeItsBodyRuns() {
        runner.withPropertyValues("distributed-lock.transactions.hold-until-completion=false")
                .run(context -> {
                    LockTemplate locks = context.getBean(LockTemplate.class);
                    Jobs jobs = context.getBean(Jobs.class);
                    List<String> before = new CopyOnWriteArrayList<>();
                    Mono<Void> inside = locks.lock("inside").mono(() -> Mono.fromRunnable(() -> before.addAll(shown)));
                    jobs.write(inside).block(PATIENCE);
                    assertThat(before).containsExactly("a", "a'", "inside", "inside'");
                });
    }

    @Test
    void aLockTakenInsideIsShownToEachResourceAndARefusalKeepsItsBodyFromRunning() {
        runner.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            Jobs jobs = context.getBean(Jobs.class);
            AtomicInteger bodies = new AtomicInteger();
            Mono<Void> inside = locks.lock("inside").mono(() -> Mono.fromRunnable(bodies::incrementAndGet));
            jobs.write(inside).block(PATIENCE);
            assertThat(shown).containsExactly("a", "a'", "inside", "inside'");
            assertThat(bodies).hasValue(1);
            refused.set("inside'");
            StepVerifier.create(jobs.write(inside))
                    .expectError(CannotCreateTransactionException.class)
                    .verify(PATIENCE);
            assertThat(bodies).hasValue(1);
            assertThat(context.getBean(Table.class).rows()).containsExactly("row");
        });
    }

    @Test
    void aLockThatWasRefusedIsAskedAboutAgainBeforeTheCommit() {
        runner.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            Jobs jobs = context.getBean(Jobs.class);
            Mono<Void> handled = locks.lock("inside")
                    .mono(Mono::<Void>empty)
                    .onErrorResume(CannotCreateTransactionException.class, refusal -> Mono.empty());
            refused.set("inside'");
            StepVerifier.create(jobs.write(handled))
                    .expectErrorMessage("the locks of the transaction could not be checked before its commit")
                    .verify(PATIENCE);
            assertThat(context.getBean(Table.class).rows()).isEmpty();
            shown.clear();
            jobs.write(handled.then(Mono.fromRunnable(() -> refused.set("")))).block(PATIENCE);
            assertThat(shown).containsExactly("a", "a'", "inside", "inside'", "inside", "inside'");
            assertThat(context.getBean(Table.class).rows()).containsExactly("row");
        });
    }

    /** A rollback to a savepoint may have given back what the resource holds the lock by. */
    @Test
    void afterARollbackToASavepointItIsShownAgainBeforeTheCommit() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.write(jobs.aStepThatFails()).block(PATIENCE);
            assertThat(shown).containsExactly("a", "a'", "a", "a'");
            assertThat(context.getBean(Table.class).rows()).containsExactly("row");
        });
    }

    @Test
    void aResourceThatCannotBeAskedBeforeTheCommitRollsTheTransactionBack() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            StepVerifier.create(jobs.write(jobs.aStepThatFails().doFinally(end -> refused.set("a'"))))
                    .expectErrorMessage("the locks of the transaction could not be checked before its commit")
                    .verify(PATIENCE);
            assertThat(context.getBean(Table.class).rows()).isEmpty();
        });
    }
}
