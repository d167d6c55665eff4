package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A lock that is taken inside a transaction is free only when others can see what was done under it. */
class HeldUntilCompletionTests {

    private final ApplicationContextRunner runner =
            Database.runner().withBean(Stock.class).withBean(Service.class);

    static class Stock {

        private final Database database;

        Stock(Database database) {
            this.database = database;
        }

        @DistributedLock(name = "stock", key = "#item")
        public void reserve(String item) {
            database.insert(item);
        }

        @DistributedLock(name = "stock", key = "#item")
        public CompletableFuture<String> later(String item) {
            return CompletableFuture.completedFuture(item);
        }

        @DistributedLock(name = "stock", key = "#item")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void reserveAtOnce(String item) {
            database.insert(item);
        }
    }

    static class Service {

        private final Stock stock;
        private final Database database;

        Service(Stock stock, Database database) {
            this.stock = stock;
            this.database = database;
        }

        @Transactional
        public void in(Consumer<Stock> work) {
            work.accept(stock);
            assertThat(LockContext.find()).isEmpty();
            database.note("end");
        }
    }

    static class Audit {

        private final Stock stock;

        Audit(Stock stock) {
            this.stock = stock;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void reserve(String item) {
            stock.reserve(item);
        }
    }

    private interface Work {

        void with(Service service, Database database, ApplicationContext context);
    }

    private void run(Work work) {
        runner.run(context -> work.with(context.getBean(Service.class), context.getBean(Database.class), context));
    }

    @Test
    void theLockIsGivenBackAfterTheCommit() {
        run((service, database, context) -> {
            service.in(stock -> stock.reserve("a"));
            assertThat(database.journal()).containsExactly("acquired stock:a", "end", "released stock:a, visible 1");
        });
    }

    @Test
    void theLockIsGivenBackAfterTheRollback() {
        run((service, database, context) -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> service.in(stock -> {
                        stock.reserve("a");
                        throw new IllegalStateException("of the body");
                    }));
            assertThat(database.journal()).containsExactly("acquired stock:a", "released stock:a, visible 0");
        });
    }

    @Test
    void aSecondCallInTheTransactionRunsUnderTheLockOfTheFirst() {
        run((service, database, context) -> {
            service.in(stock -> {
                stock.reserve("a");
                stock.reserve("a");
                stock.reserve("b");
            });
            FaultyLockProvider provider = context.getBean(FaultyLockProvider.class);
            assertThat(provider.acquires()).isEqualTo(2);
            assertThat(provider.releases()).isEqualTo(2);
            assertThat(database.rows()).containsExactly("a", "a", "b");
        });
    }

    @Test
    void aNewTransactionInsideRunsUnderTheLockOfTheSuspendedOne() {
        run((service, database, context) -> {
            service.in(stock -> {
                stock.reserve("a");
                stock.reserveAtOnce("a");
            });
            assertThat(database.journal()).containsExactly("acquired stock:a", "end", "released stock:a, visible 2");
        });
    }

    /** It keeps a lock of its own, and ends first. */
    @Test
    void afterANewTransactionInsideCallsStillRunUnderTheLocksOfTheSuspendedOne() {
        runner.withBean(Audit.class).run(context -> {
            context.getBean(Service.class).in(stock -> {
                stock.reserve("a");
                context.getBean(Audit.class).reserve("b");
                stock.reserve("a");
            });
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(2);
            assertThat(context.getBean(Database.class).rows()).containsExactlyInAnyOrder("a", "b", "a");
        });
    }

    @Test
    void aLockTakenAroundANewTransactionInsideIsKeptForTheOuterOneThatItWasTakenIn() {
        run((service, database, context) -> {
            service.in(stock -> stock.reserveAtOnce("a"));
            assertThat(database.journal()).containsExactly("acquired stock:a", "end", "released stock:a, visible 1");
        });
    }

    @Test
    void theLockOfAFutureIsHeldUntilItIsDoneAndTheTransactionIsOver() {
        run((service, database, context) -> {
            service.in(stock -> assertThat(stock.later("a").join()).isEqualTo("a"));
            assertThat(database.journal()).containsExactly("acquired stock:a", "end", "released stock:a, visible 0");
        });
    }

    /** Nobody would give it back later. */
    @Test
    void theLockOfAFutureThatIsGrantedAfterTheTransactionGoesWithTheFuture() {
        run((service, database, context) -> {
            FaultyLockProvider provider = context.getBean(FaultyLockProvider.class);
            provider.onAcquire(Fault.LATE);
            List<CompletableFuture<String>> later = new ArrayList<>();
            service.in(stock -> later.add(stock.later("a")));
            assertThat(later.get(0)).isNotDone();

            provider.deliver();

            assertThat(later.get(0)).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("a");
            await().until(() -> LockTestContext.another(context)
                    .inspect(LockKey.of("stock", "a"))
                    .isEmpty());
        });
    }

    @Test
    void withThePropertyOffTheLockIsGivenBackAtTheEndOfTheMethod() {
        runner.withPropertyValues("distributed-lock.transactions.hold-until-completion=false")
                .run(context -> {
                    context.getBean(Service.class).in(stock -> stock.reserve("a"));
                    assertThat(context.getBean(Database.class).journal())
                            .containsExactly("acquired stock:a", "released stock:a, visible 0", "end");
                });
    }

    @Test
    void nothingIsLeftOnTheThread() {
        run((service, database, context) -> {
            service.in(stock -> stock.reserve("a"));
            context.getBean(Stock.class).reserve("a");
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(2);
            assertThat(context.getBean(FaultyLockProvider.class).releases()).isEqualTo(2);
        });
    }
}
