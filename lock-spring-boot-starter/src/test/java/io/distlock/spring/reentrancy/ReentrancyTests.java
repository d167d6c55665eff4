package io.distlock.spring.reentrancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnLost;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** A call from a method that holds a lock to a method that asks for it. */
class ReentrancyTests {

    static class Stock {

        @DistributedLock(name = "stock", key = "#items")
        public <T> T exclusive(List<String> items, Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "stock", key = "#items", mode = LockMode.SHARED)
        public <T> T shared(List<String> items, Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "stock", key = "#items", renew = false, leaseTime = "10s")
        public <T> T brief(List<String> items, Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "stock", key = "#items", onLost = OnLost.INTERRUPT)
        public <T> T interruptible(List<String> items, Callable<T> body) throws Exception {
            return body.call();
        }
    }

    private static void run(Consumer<AssertableApplicationContext> test) {
        LockTestContext.manual().withBean(Stock.class).run(test::accept);
    }

    @Test
    void anInnerCallRunsUnderTheOuterLockWithoutAskingTheStore() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            FaultyLockProvider provider = context.getBean(FaultyLockProvider.class);
            stock.exclusive(List.of("a"), () -> {
                HeldLock outer = LockContext.current();
                stock.exclusive(
                        List.of("a"), () -> assertThat(LockContext.current()).isSameAs(outer));
                assertThat(outer.isHeld()).isTrue();
                return null;
            });
            assertThat(provider.acquires()).isEqualTo(1);
            assertThat(provider.releases()).isEqualTo(1);
        });
    }

    @Test
    void theLockIsGivenBackByTheOutermostCallOnly() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            LockClient other = LockTestContext.another(context);
            stock.exclusive(List.of("a"), () -> {
                stock.exclusive(List.of("a"), () -> null);
                assertThat(other.tryAcquire(other.request("stock", "a").withWaitTime(Duration.ZERO)))
                        .isEmpty();
                return null;
            });
            assertThat(other.inspect(LockKey.of("stock", "a"))).isEmpty();
        });
    }

    @Test
    void someOfTheKeysThatAreHeldAreHeld() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            assertThat(stock.<List<LockKey>>exclusive(
                            List.of("a", "b"),
                            () -> stock.exclusive(
                                    List.of("b"), () -> LockContext.current().keys())))
                    .hasSize(2);
        });
    }

    /** The first that is left is the one that was lost. */
    @Test
    void anInnerCallUnderSeveralLocksOfWhichOneIsLostLetsGoOfAll() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            LockClient other = LockTestContext.another(context);
            Supplier<Object> losing = () -> {
                context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
                return "done";
            };
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> stock.exclusive(
                            List.of("b"),
                            () -> stock.brief(List.of("a"), () -> stock.exclusive(List.of("a", "b"), losing))));
            assertThat(other.inspect(LockKey.of("stock", "b"))).isEmpty();
        });
    }

    /** Whether its thread is interrupted is the decision of the call that took the lock. */
    @Test
    void anInnerCallIsNotInterruptedIfTheOuterOneIsLeftRunning() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            CountDownLatch told = new CountDownLatch(1);
            AtomicBoolean ended = new AtomicBoolean();
            Callable<Object> losing = () -> {
                LockContext.current().onLost(loss -> told.countDown());
                context.getBean(ManualTicker.class).advance(Duration.ofSeconds(11));
                told.await();
                return ended.getAndSet(true);
            };
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> stock.brief(List.of("a"), () -> {
                        try {
                            return stock.interruptible(List.of("a"), losing);
                        } catch (RuntimeException failure) {
                            throw failure;
                        } catch (Exception failure) {
                            throw new IllegalStateException(failure);
                        }
                    }));
            assertThat(ended).isTrue();
        });
    }

    @Test
    void anExclusiveLockCoversASharedOne() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            assertThat(stock.<LockMode>exclusive(
                            List.of("a"),
                            () -> stock.shared(
                                    List.of("a"), () -> LockContext.current().mode())))
                    .isEqualTo(LockMode.EXCLUSIVE);
        });
    }

    @Test
    void anExclusiveLockInsideASharedOneOfTheSameKeyIsRefusedRatherThanWaitedFor() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            assertThatIllegalStateException()
                    .isThrownBy(() -> stock.shared(List.of("a"), () -> stock.exclusive(List.of("a"), () -> "never")))
                    .withMessageContaining("stock:a")
                    .withMessageContaining("Take the outer lock EXCLUSIVE");
            assertThat(context.getBean(FaultyLockProvider.class).acquires()).isEqualTo(1);
        });
    }

    @Test
    void keysOfWhichSomeAreHeldAndSomeAreNotAreRefusedRatherThanWaitedFor() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            assertThatIllegalStateException()
                    .isThrownBy(() ->
                            stock.exclusive(List.of("a"), () -> stock.exclusive(List.of("a", "b"), () -> "never")))
                    .withMessageContaining("stock:b")
                    .withMessageContaining("all of them together");
        });
    }

    @Test
    void keysThatAreHeldByOneLockEachAreHeldTogether() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            FaultyLockProvider provider = context.getBean(FaultyLockProvider.class);
            stock.exclusive(
                    List.of("b"),
                    () -> stock.exclusive(
                            List.of("a"),
                            () -> stock.exclusive(List.of("a", "b"), () -> {
                                HeldLock both = LockContext.current();
                                assertThat(both.keys())
                                        .containsExactly(LockKey.of("stock", "a"), LockKey.of("stock", "b"));
                                assertThat(both.sequencers()).hasSize(2);
                                assertThat(both.mode()).isEqualTo(LockMode.EXCLUSIVE);
                                assertThat(both.isHeld()).isTrue();
                                assertThat(both.remaining()).isPositive();
                                assertThat(both.lost() == both.lost()).isTrue();
                                return null;
                            })));
            assertThat(provider.acquires()).isEqualTo(2);
            assertThat(provider.releases()).isEqualTo(2);
        });
    }

    @Test
    void anInnerCallOverTwoLocksEndsNeither() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            stock.exclusive(
                    List.of("a"),
                    () -> stock.exclusive(List.of("b"), () -> {
                        HeldLock inner = LockContext.current();
                        stock.exclusive(List.of("a", "b"), () -> null);
                        assertThat(inner.isHeld()).isTrue();
                        assertThat(context.getBean(FaultyLockProvider.class).releases())
                                .isZero();
                        return null;
                    }));
        });
    }

    @Test
    void anInnerCallOverTwoLocksIsToldThatTheOuterOneWasLost() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            ManualTicker ticker = context.getBean(ManualTicker.class);
            AtomicReference<String> after = new AtomicReference<>();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> stock.brief(
                            List.of("a"),
                            () -> stock.exclusive(List.of("b"), () -> {
                                stock.exclusive(List.of("a", "b"), () -> {
                                    HeldLock both = LockContext.current();
                                    ticker.advance(Duration.ofSeconds(11));
                                    assertThat(both.isHeld()).isFalse();
                                    await().until(both.lost().toCompletableFuture()::isDone);
                                    return null;
                                });
                                return after.getAndSet("inner call returned");
                            })))
                    .satisfies(lost -> assertThat(lost.key()).isEqualTo(LockKey.of("stock", "a")));
            assertThat(after).hasNullValue();
        });
    }

    @Test
    void oneOfTwoLocksThatIsSharedIsNotEnoughForAnExclusiveCall() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            assertThatIllegalStateException()
                    .isThrownBy(() -> stock.shared(
                            List.of("a"),
                            () -> stock.exclusive(
                                    List.of("b"), () -> stock.exclusive(List.of("a", "b"), () -> "never"))))
                    .withMessageContaining("Take the outer lock EXCLUSIVE");
            assertThat(stock.<LockMode>shared(
                            List.of("a"),
                            () -> stock.exclusive(
                                    List.of("b"),
                                    () -> stock.shared(
                                            List.of("a", "b"),
                                            () -> LockContext.current().mode()))))
                    .isEqualTo(LockMode.SHARED);
        });
    }

    @Test
    void anotherKeyIsALockOfItsOwn() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            FaultyLockProvider provider = context.getBean(FaultyLockProvider.class);
            stock.exclusive(List.of("a"), () -> {
                HeldLock outer = LockContext.current();
                stock.exclusive(
                        List.of("b"),
                        () -> stock.exclusive(List.of("a"), () -> {
                            assertThat(LockContext.current()).isSameAs(outer);
                            return null;
                        }));
                assertThat(LockContext.current()).isSameAs(outer);
                return null;
            });
            assertThat(provider.acquires()).isEqualTo(2);
            assertThat(provider.releases()).isEqualTo(2);
        });
    }

    @Test
    void aLostLockIsNotEnteredAgain() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            ManualTicker ticker = context.getBean(ManualTicker.class);
            AtomicReference<String> ran = new AtomicReference<>();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> stock.brief(List.of("a"), () -> {
                        ticker.advance(Duration.ofSeconds(11));
                        return stock.exclusive(List.of("a"), () -> ran.getAndSet("inner"));
                    }));
            assertThat(ran).hasNullValue();
        });
    }

    /** Its provider has the same name, but may be another store, or this one as another process has it. */
    @Test
    void anotherApplicationInTheSameJvmHasALockOfItsOwn() {
        run(context -> run(another -> {
            FaultyLockProvider provider = another.getBean(FaultyLockProvider.class);
            HeldLock inner = context.getBean(Stock.class)
                    .exclusive(
                            List.of("a"),
                            () -> another.getBean(Stock.class).exclusive(List.of("a"), LockContext::current));
            assertThat(provider.acquires()).isEqualTo(1);
            assertThat(inner.isHeld()).isFalse();
        }));
    }

    @Test
    void anotherThreadDoesNotEnterTheLock() {
        run(context -> {
            Stock stock = context.getBean(Stock.class);
            AtomicReference<Throwable> seen = new AtomicReference<>();
            stock.exclusive(List.of("a"), () -> {
                Thread thread = new Thread(() -> stock.exclusive(List.of("a"), () -> "never"));
                thread.setUncaughtExceptionHandler((of, failure) -> seen.set(failure));
                thread.start();
                return join(thread);
            });
            assertThat(seen.get()).isInstanceOf(LockNotAcquiredException.class);
        });
    }

    private static Void join(Thread thread) {
        try {
            thread.join();
            return null;
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }
}
