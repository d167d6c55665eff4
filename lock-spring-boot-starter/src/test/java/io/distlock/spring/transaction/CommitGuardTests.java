package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.Release;
import io.distlock.spi.LockProvider;
import io.distlock.spring.DistributedLock;
import io.distlock.test.time.ManualTicker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Nothing is committed under a lock that is gone: on a real database. */
class CommitGuardTests {

    private final ApplicationContextRunner runner =
            Database.runner().withBean(Inner.class).withBean(Orders.class);

    static class Orders {

        private final Database database;
        private final Inner inner;
        private final ManualTicker ticker;
        private final TransactionTemplate template;

        Orders(Database database, Inner inner, ManualTicker ticker, PlatformTransactionManager manager) {
            this.database = database;
            this.inner = inner;
            this.ticker = ticker;
            this.template = new TransactionTemplate(manager);
        }

        @Transactional
        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public void onOneMethod(boolean lose) {
            database.insert("one");
            loseIf(lose);
        }

        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public void aroundAnother(Runnable work) {
            inner.required(work);
        }

        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public void byTemplate(boolean lose) {
            template.executeWithoutResult(status -> {
                database.insert("template");
                loseIf(lose);
            });
        }

        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public void before() {
            inner.required(() -> {});
            loseIf(true);
            inner.required(() -> {});
        }

        @Transactional
        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public void aroundANewOne(boolean lose) {
            database.insert("outer");
            inner.requiresNew(() -> {});
            loseIf(lose);
        }

        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public void lostInsideOfANewOne() {
            inner.required(() -> {
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> inner.requiresNew(() -> loseIf(true)));
            });
        }

        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public void lostBeforeANewOne() {
            inner.required(() -> {
                loseIf(true);
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> inner.requiresNew(() -> {}))
                        .satisfies(refusal -> assertThat(refusal).hasNoSuppressedExceptions());
                assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                        .isTrue();
                database.insert("outer");
            });
        }

        @Transactional
        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public void aroundASavepoint(boolean lose) {
            database.insert("outer");
            inner.nested(() -> loseIf(lose));
        }

        @DistributedLock("renewed")
        public void underAnother(Runnable work) {
            inner.required(work);
        }

        @DistributedLock("orders")
        public TransactionStatus begin(PlatformTransactionManager manager) {
            TransactionStatus begun = manager.getTransaction(new DefaultTransactionDefinition());
            database.insert("begun");
            return begun;
        }

        private void loseIf(boolean lose) {
            if (lose) {
                ticker.advance(Duration.ofSeconds(11));
            }
        }
    }

    static class Inner {

        private final Database database;

        Inner(Database database) {
            this.database = database;
        }

        @Transactional
        public void required(Runnable then) {
            database.insert("required");
            then.run();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void requiresNew(Runnable then) {
            database.insert("new");
            then.run();
        }

        @Transactional(propagation = Propagation.NESTED)
        public void nested(Runnable then) {
            database.insert("nested");
            then.run();
        }

        @Transactional
        @DistributedLock(name = "inner", renew = false, leaseTime = "10s")
        public void locked() {
            database.insert("locked");
        }
    }

    private interface Work {

        void with(Orders orders, Database database, AssertableApplicationContext context) throws Exception;
    }

    private void run(Work work) {
        run(runner, work);
    }

    private static void run(ApplicationContextRunner runner, Work work) {
        runner.run(context -> work.with(context.getBean(Orders.class), context.getBean(Database.class), context));
    }

    private static void lose(AssertableApplicationContext context) {
        context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
    }

    @Test
    void whileTheLockIsHeldEverythingIsCommitted() {
        run((orders, database, context) -> {
            orders.onOneMethod(false);
            orders.aroundAnother(() -> {});
            orders.byTemplate(false);
            orders.aroundANewOne(false);
            orders.aroundASavepoint(false);
            assertThat(database.rows())
                    .containsExactly("nested", "new", "one", "outer", "outer", "required", "template");
        });
    }

    @Test
    void aLeaseLostDuringTheBodyLeavesNothingCommitted() {
        run((orders, database, context) -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> orders.onOneMethod(true))
                    .satisfies(lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.EXPIRED));
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> orders.aroundAnother(() -> lose(context)));
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> orders.byTemplate(true));
            assertThat(database.rows()).isEmpty();
        });
    }

    @Test
    void whatWasCommittedBeforeTheLossStaysAndWhatComesAfterItDoesNot() {
        run((orders, database, context) -> {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(orders::before);
            assertThat(database.rows()).containsExactly("required");
        });
    }

    @Test
    void aNewTransactionInsideIsJudgedAtItsOwnCommitAndTheOuterOneAtItsOwn() {
        run((orders, database, context) -> {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> orders.aroundANewOne(true));
            assertThat(database.rows()).containsExactly("new");
        });
        run((orders, database, context) -> {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(orders::lostInsideOfANewOne);
            assertThat(database.rows()).isEmpty();
        });
    }

    @Test
    void theRefusalOfANewTransactionLeavesTheSuspendedOneAsItWas() {
        run((orders, database, context) -> {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(orders::lostBeforeANewOne);
            assertThat(database.rows()).isEmpty();
        });
    }

    @Test
    void aLossUnderASavepointRollsAllBack() {
        run((orders, database, context) -> {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> orders.aroundASavepoint(true));
            assertThat(database.rows()).isEmpty();
        });
    }

    @Test
    void aTransactionThatOutlivesItsLockCannotBeCommitted() {
        run((orders, database, context) -> {
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
            TransactionStatus begun = orders.begin(manager);
            assertThatIllegalStateException()
                    .isThrownBy(() -> manager.commit(begun))
                    .withMessageContaining("has been released");
            assertThat(database.rows()).isEmpty();
        });
    }

    @Test
    void aNewTransactionInsideOneThatHasOutlivedItsLockIsJudgedByItsOwnLocks() {
        run((orders, database, context) -> {
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
            TransactionStatus outlived = orders.begin(manager);
            context.getBean(Inner.class).requiresNew(() -> {});
            manager.rollback(outlived);
            assertThat(database.rows()).containsExactly("new");
        });
    }

    @Test
    void aLockTakenInsideATransactionGuardsItsCommitToo() {
        run((orders, database, context) -> {
            Inner inner = context.getBean(Inner.class);
            ManualTicker ticker = context.getBean(ManualTicker.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> inner.required(() -> {
                        inner.locked();
                        ticker.advance(Duration.ofSeconds(11));
                    }));
            assertThat(database.rows()).isEmpty();
        });
    }

    @Test
    void aTransactionBegunUnderOneLockWithAnotherTakenInsideNeedsBoth() {
        run((orders, database, context) -> {
            Inner inner = context.getBean(Inner.class);
            ManualTicker ticker = context.getBean(ManualTicker.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> orders.underAnother(() -> {
                        inner.locked();
                        ticker.advance(Duration.ofSeconds(11));
                    }))
                    .satisfies(lost -> assertThat(lost.key().name()).isEqualTo("inner"));
            assertThat(database.rows()).isEmpty();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> orders.aroundAnother(() -> {
                        ticker.advance(Duration.ofSeconds(9));
                        inner.locked();
                        ticker.advance(Duration.ofSeconds(2));
                    }))
                    .satisfies(lost -> assertThat(lost.key().name()).isEqualTo("orders"));
            assertThat(database.rows()).isEmpty();
        });
    }

    // --- asking the store ---

    /** A store that has forgotten each grant, or does not answer: which no clock tells. */
    @Configuration(proxyBeanMethods = false)
    static class Forgetful {

        @Bean
        static BeanPostProcessor forgetfulStore() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof LockProvider provider ? forgetting(provider) : bean;
                }
            };
        }

        private static Object forgetting(LockProvider provider) {
            return Proxy.newProxyInstance(
                    Forgetful.class.getClassLoader(), new Class<?>[] {LockProvider.class}, (proxy, method, args) -> {
                        if (method.getName().equals("isCurrent")) {
                            return CompletableFuture.completedFuture(false);
                        } else if (method.getName().equals("release")) {
                            return CompletableFuture.completedFuture(Release.NOT_OWNER);
                        }
                        try {
                            return method.invoke(provider, args);
                        } catch (InvocationTargetException thrown) {
                            throw thrown.getTargetException();
                        }
                    });
        }
    }

    private static final String ASK = "distributed-lock.transactions.ask-store-before-commit=true";

    @Test
    void aLockThatOnlyTheStoreKnowsToBeGoneIsFoundIfTheStoreIsAsked() {
        run(runner.withUserConfiguration(Forgetful.class).withPropertyValues(ASK), (orders, database, context) -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> orders.onOneMethod(false))
                    .satisfies(lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNER));
            assertThat(database.rows()).isEmpty();
        });
    }

    @Test
    void unlessAskedForTheStoreIsNotAskedAndTheLossIsToldAfterTheCommit() {
        run(runner.withUserConfiguration(Forgetful.class), (orders, database, context) -> {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> orders.onOneMethod(false));
            assertThat(database.rows()).containsExactly("one");
        });
    }
}
