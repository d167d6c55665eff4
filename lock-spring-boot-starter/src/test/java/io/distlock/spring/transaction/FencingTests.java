package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.DistributedLock.Fencing;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import io.distlock.spring.template.LockSpec;
import io.distlock.spring.template.LockTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Which locks are shown to the resources that refuse stale holders. */
class FencingTests {

    private final Shown shown = new Shown();
    private final ApplicationContextRunner runner =
            Database.runner().withBean(TransactionFence.class, () -> shown).withBean(Jobs.class);

    static final class Shown implements TransactionFence {

        private final List<String> keys = new ArrayList<>();
        private int answers = Integer.MAX_VALUE;

        @Override
        public void enter(String provider, Sequencer sequencer) {
            keys.add(sequencer.key().text());
            if (--answers < 0) {
                throw new CannotCreateTransactionException("no connection");
            }
        }
    }

    /** Refuses the lock with this key, and notes what it is shown. */
    private record Second(List<String> keys, AtomicReference<String> refused) implements TransactionFence {

        @Override
        public void enter(String provider, Sequencer sequencer) {
            keys.add(sequencer.key().text());
            if (refused.get().equals(sequencer.key().text())) {
                throw new CannotCreateTransactionException("no connection");
            }
        }
    }

    static class Jobs {

        @Transactional
        @DistributedLock(name = "usual", key = "#id")
        public void usual(String id) {}

        @Transactional
        @DistributedLock(name = "usual", key = "{'2', '1', '3'}")
        public void allOf() {}

        @Transactional
        @DistributedLock(name = "writing")
        public void write(Database database) {
            database.insert("row");
        }

        @Transactional
        @DistributedLock(name = "off", key = "#id", fencing = Fencing.OFF)
        public void off(String id) {}

        @Transactional
        @DistributedLock(name = "off", key = "#id", fencing = Fencing.ON)
        public void on(String id) {}

        @Transactional
        @DistributedLock(name = "a", fencing = Fencing.OFF)
        @DistributedLock(name = "b", fencing = Fencing.ON)
        @DistributedLock(name = "a")
        public void several() {}

        @Transactional
        @DistributedLock(name = "a", mode = LockMode.SHARED)
        @DistributedLock(name = "c")
        @DistributedLock(name = "b")
        public void sharedAndExclusive() {}
    }

    static class OnAlone {

        @DistributedLock(fencing = Fencing.ON)
        public void run() {}
    }

    @Test
    void aLockIsShownUnlessItsFencingIsOff() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.usual("1");
            jobs.off("1");
            jobs.on("2");
            // As it begins, and before the commit.
            assertThat(shown.keys).containsExactly("usual:1", "usual:1", "off:2", "off:2");
        });
    }

    @Test
    void ofALockWithSeveralKeysEachIsShown() {
        runner.run(context -> {
            context.getBean(Jobs.class).allOf();
            assertThat(shown.keys).containsExactly("usual:1", "usual:2", "usual:3", "usual:1", "usual:2", "usual:3");
        });
    }

    @Test
    void ofSeveralLocksEachHasItsOwnAndAKeyNamedTwiceIsFenced() {
        runner.run(context -> {
            context.getBean(Jobs.class).several();
            assertThat(shown.keys).containsExactly("a", "b", "a", "b");
        });
    }

    /** Spring would take its exception for a failure of the commit itself, after which nothing is rolled back. */
    @Test
    void aResourceThatCannotBeAskedBeforeTheCommitRollsTheTransactionBack() {
        runner.run(context -> {
            Database database = context.getBean(Database.class);
            shown.answers = 1;
            assertThatIllegalStateException()
                    .isThrownBy(() -> context.getBean(Jobs.class).write(database))
                    .withMessage("the locks of the transaction could not be checked before its commit")
                    .withCauseInstanceOf(CannotCreateTransactionException.class);
            assertThat(database.rows()).isEmpty();
        });
    }

    /** A database may take a snapshot when a shared lock is compared, and the others may have to wait for a transaction. */
    @Test
    void exclusiveLocksComeBeforeSharedOnes() {
        runner.run(context -> {
            context.getBean(Jobs.class).sharedAndExclusive();
            assertThat(shown.keys).containsExactly("b", "c", "a", "b", "c", "a");
        });
    }

    /** Two databases, for example: a transaction may write to either. */
    @Test
    void eachResourceIsShownEachLockAndEachCanRefuse() {
        Second second = new Second(new ArrayList<>(), new AtomicReference<>(""));
        runner.withBean("second", TransactionFence.class, () -> second).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            LockTemplate locks = context.getBean(LockTemplate.class);
            jobs.usual("1");
            transactions.executeWithoutResult(status ->
                    locks.lock("inside").run(() -> assertThat(second.keys).endsWith("inside")));
            assertThat(second.keys)
                    .containsExactly("usual:1", "usual:1", "inside", "inside")
                    .isEqualTo(shown.keys);
            second.refused.set("inside");
            assertThatExceptionOfType(CannotCreateTransactionException.class)
                    .isThrownBy(() -> transactions.executeWithoutResult(
                            status -> locks.lock("inside").run(Assertions::fail)));
        });
    }

    /** It is released before the commit, so it is shown only once. */
    @Test
    void aLockThatIsNotHeldUntilCompletionIsShownBeforeItsBodyRuns() {
        runner.withPropertyValues("distributed-lock.transactions.hold-until-completion=false")
                .run(context -> {
                    TransactionTemplate transactions =
                            new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
                    LockTemplate locks = context.getBean(LockTemplate.class);
                    transactions.executeWithoutResult(status -> locks.lock("a").run(() -> {
                        assertThat(shown.keys).containsExactly("a");
                        locks.lock("b").fencing(Fencing.OFF).run(() -> {});
                        locks.lock("c")
                                .mode(LockMode.SHARED)
                                .fencing(Fencing.OFF)
                                .fencing(Fencing.DEFAULT)
                                .run(() -> {});
                    }));
                    assertThat(shown.keys).containsExactly("a", "c");
                    shown.answers = 0;
                    assertThatExceptionOfType(CannotCreateTransactionException.class)
                            .isThrownBy(() -> transactions.executeWithoutResult(
                                    status -> locks.lock("a").run(Assertions::fail)));
                });
    }

    @Test
    void insideALockThatIsNotFencedOneThatMustBeIsFenced() {
        runner.run(context -> {
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            LockTemplate locks = context.getBean(LockTemplate.class);
            locks.lock("off", "1")
                    .fencing(Fencing.OFF)
                    .run(() -> transactions.executeWithoutResult(status -> {
                        assertThat(shown.keys).isEmpty();
                        context.getBean(Jobs.class).on("1");
                    }));
            // As the inner call begins, and before the commit.
            assertThat(shown.keys).containsExactly("off:1", "off:1");
        });
    }

    @Test
    void aCallInsideThatDoesWithoutFencingTakesItFromNoOther() {
        runner.run(context -> {
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            LockTemplate locks = context.getBean(LockTemplate.class);
            locks.lock("off", "1").run(() -> {
                locks.lock("off", "1").fencing(Fencing.OFF).run(() -> {});
                transactions.executeWithoutResult(status -> {});
            });
            // As the transaction begins, and before its commit.
            assertThat(shown.keys).containsExactly("off:1", "off:1");
        });
    }

    @Test
    void fencingThatMustBeOnWithoutAnythingThatFencesFailsTheStart() {
        Database.runner()
                .withBean(OnAlone.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(
                                InvalidLockedMethodsException.class,
                                refused -> assertThat(refused.problems())
                                        .singleElement()
                                        .satisfies(problem -> {
                                            assertThat(problem.method()).endsWith("OnAlone.run()");
                                            assertThat(problem.attribute()).isEqualTo("fencing");
                                            assertThat(problem.problem())
                                                    .contains("ON requires a resource that fences");
                                            assertThat(problem.cure())
                                                    .contains("distributed-lock.jdbc.fencing.enabled=true");
                                        })));
    }

    static class OnReactive {

        @DistributedLock(fencing = Fencing.ON)
        public Mono<Void> run() {
            return Mono.empty();
        }
    }

    @Test
    void aReactiveMethodCanDemandFencingOnlyOfReactiveTransactions() {
        runner.withBean(OnReactive.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(
                                InvalidLockedMethodsException.class,
                                refused -> assertThat(refused.problems())
                                        .singleElement()
                                        .satisfies(problem -> {
                                            assertThat(problem.problem())
                                                    .contains(
                                                            "ON requires a resource that fences reactive transactions");
                                            assertThat(problem.cure())
                                                    .contains("distributed-lock.r2dbc.fencing.enabled=true");
                                        })));
        Database.runner()
                .withBean(OnReactive.class)
                .withBean(TransactionFence.Reactive.class, () -> (provider, sequencer) -> Mono.empty())
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aReactiveBodyCanDemandFencingOnlyOfReactiveTransactions() {
        runner.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockSpec demanding = locks.lock("a").fencing(Fencing.ON).and(locks.lock("b"));
            assertThatIllegalStateException()
                    .isThrownBy(() -> demanding.mono(Mono::empty))
                    .withMessageContaining("fencing ON requires a resource that fences reactive transactions");
            assertThatIllegalStateException().isThrownBy(() -> demanding.flux(Flux::empty));
            assertThatIllegalStateException()
                    .isThrownBy(() -> locks.lock("b")
                            .and(locks.lock("a").fencing(Fencing.ON))
                            .mono(Mono::empty));
            locks.lock("a").fencing(Fencing.OFF).mono(Mono::empty).block();
        });
    }

    @Test
    void codeThatAsksForFencingWithoutAnythingThatFencesIsRefused() {
        Database.runner()
                .run(context -> assertThatIllegalStateException()
                        .isThrownBy(() ->
                                context.getBean(LockTemplate.class).lock("a").fencing(Fencing.ON))
                        .withMessageContaining("ON requires a resource that fences")
                        .withMessageContaining("distributed-lock.jdbc.fencing.enabled=true"));
    }
}
