package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.LockLostException;
import io.distlock.spring.DistributedLock;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

/** A transaction may wait for its connection for longer than the lock around it lasts: its method does not run then. */
class LossBeforeTransactionTests {

    static class Orders {

        private final AtomicInteger calls = new AtomicInteger();

        public int calls() {
            return calls.get();
        }

        @Transactional
        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public void order() {
            calls.incrementAndGet();
        }

        @Transactional
        @DistributedLock(name = "a", renew = false, leaseTime = "10s")
        @DistributedLock("b")
        @DistributedLock("c")
        public void firstNotRenewed() {
            calls.incrementAndGet();
        }

        @Transactional
        @DistributedLock("a")
        @DistributedLock(name = "b", renew = false, leaseTime = "10s")
        @DistributedLock("c")
        public void secondNotRenewed() {
            calls.incrementAndGet();
        }

        @Transactional
        @DistributedLock("a")
        @DistributedLock("b")
        @DistributedLock(name = "c", renew = false, leaseTime = "10s")
        public void lastNotRenewed() {
            calls.incrementAndGet();
        }

        @Transactional
        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        public Mono<String> orderLater() {
            calls.incrementAndGet();
            return Mono.just("done");
        }
    }

    private interface Call {

        void on(Orders orders);
    }

    private static void assertNotRun(ApplicationContextRunner runner, Call call) {
        runner.withBean(Orders.class).run(context -> {
            ManualTicker ticker = context.getBean(ManualTicker.class);
            context.getBean(ConfigurableTransactionManager.class).addListener(new TransactionExecutionListener() {
                @Override
                public void beforeBegin(TransactionExecution transaction) {
                    ticker.advance(Duration.ofSeconds(11));
                }
            });
            Orders orders = context.getBean(Orders.class);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> call.on(orders));
            assertThat(orders.calls()).isZero();
        });
    }

    @Test
    void aMethodWhoseLockIsLostWhileItsTransactionBeginsDoesNotRun() {
        assertNotRun(Database.runner(), Orders::order);
    }

    @Test
    void ofSeveralLocksNoneMayBeLostWhileTheTransactionBegins() {
        List.<Call>of(Orders::firstNotRenewed, Orders::secondNotRenewed, Orders::lastNotRenewed)
                .forEach(each -> assertNotRun(Database.runner(), each));
    }

    @Test
    void aReactiveMethodWhoseLockIsLostWhileItsTransactionBeginsDoesNotRun() {
        assertNotRun(
                ReactiveTransactionTests.runner(), orders -> orders.orderLater().block(Duration.ofSeconds(30)));
    }

    /** It has waited for a row that another transaction had locked. */
    @Test
    void aMethodWhoseLockIsLostWhileItIsShownToAResourceDoesNotRun() {
        assertNotRunOnceShown(Database.runner(), Orders::order);
    }

    @Test
    void aReactiveMethodWhoseLockIsLostWhileItIsShownToAResourceDoesNotRun() {
        assertNotRunOnceShown(
                ReactiveTransactionTests.runner(), orders -> orders.orderLater().block(Duration.ofSeconds(30)));
    }

    private static void assertNotRunOnceShown(ApplicationContextRunner runner, Call call) {
        AtomicReference<Runnable> slow = new AtomicReference<>(() -> {});
        runner.withBean(Orders.class)
                .withBean(
                        TransactionFence.class,
                        () -> (provider, sequencer) -> slow.get().run())
                .withBean(TransactionFence.Reactive.class, () -> (provider, sequencer) -> Mono.fromRunnable(slow.get()))
                .run(context -> {
                    ManualTicker ticker = context.getBean(ManualTicker.class);
                    slow.set(() -> ticker.advance(Duration.ofSeconds(11)));
                    Orders orders = context.getBean(Orders.class);
                    assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> call.on(orders));
                    assertThat(orders.calls()).isZero();
                });
    }
}
