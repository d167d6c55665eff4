package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Lease;
import io.distlock.spi.LockProvider;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.template.LockTemplate;
import io.distlock.spring.transaction.ReactiveTransactionTests.Table;
import io.distlock.test.time.ManualTicker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** A store that is asked before the commit, and says no or nothing: then nothing is committed. */
class AskStoreBeforeCommitTests {

    private static final String ASK = "distributed-lock.transactions.ask-store-before-commit=true";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    static class Orders {

        private final Database database;

        Orders(Database database) {
            this.database = database;
        }

        @Transactional
        @DistributedLock("orders")
        public void order() {
            database.insert("one");
        }

        @Transactional
        @DistributedLock(name = "orders", key = "{'1', '2', '3'}", lockDelay = "1m", renew = false)
        public void several(Runnable work) {
            database.insert("several");
            work.run();
        }
    }

    /** A store that does everything and gives no answer to whether a grant still counts. */
    @Configuration(proxyBeanMethods = false)
    static class Silent {

        @Bean
        static BeanPostProcessor silentStore() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof LockProvider provider ? silent(provider) : bean;
                }
            };
        }

        private static Object silent(LockProvider provider) {
            return Proxy.newProxyInstance(
                    Silent.class.getClassLoader(), new Class<?>[] {LockProvider.class}, (proxy, method, args) -> {
                        if (method.getName().equals("isCurrent")) {
                            return CompletableFuture.failedFuture(new TimeoutException("no answer in time"));
                        }
                        try {
                            return method.invoke(provider, args);
                        } catch (InvocationTargetException thrown) {
                            throw thrown.getTargetException();
                        }
                    });
        }
    }

    static class Forgotten {

        private volatile LockKey key = LockKey.of("none");
    }

    /** A store that may have forgotten the grants of one key, and tells nobody before it is asked. */
    @Configuration(proxyBeanMethods = false)
    static class ForgettingOneKey {

        @Bean
        static Forgotten forgotten() {
            return new Forgotten();
        }

        @Bean
        static BeanPostProcessor forgettingStore(ObjectProvider<Forgotten> forgotten) {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof LockProvider provider ? forgetting(provider, forgotten) : bean;
                }
            };
        }

        private static Object forgetting(LockProvider provider, ObjectProvider<Forgotten> forgotten) {
            return Proxy.newProxyInstance(
                    ForgettingOneKey.class.getClassLoader(),
                    new Class<?>[] {LockProvider.class},
                    (proxy, method, args) -> {
                        LockKey key = forgotten.getObject().key;
                        if (method.getName().equals("isCurrent")
                                && ((Sequencer) args[0]).key().equals(key)) {
                            return CompletableFuture.completedFuture(false);
                        }
                        Object answer = method.invoke(provider, args);
                        return method.getName().equals("release")
                                        && ((Lease) args[0]).key().equals(key)
                                ? CompletableFuture.completedFuture(Release.NOT_OWNER)
                                : answer;
                    });
        }
    }

    @Test
    void aStoreThatConfirmsEachKeyLetsTheCommitPassAndOneThatHasForgottenAnyDoesNot() {
        Database.runner()
                .withBean(Orders.class)
                .withUserConfiguration(ForgettingOneKey.class)
                .withPropertyValues(ASK)
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);
                    Forgotten forgotten = context.getBean(Forgotten.class);
                    for (String key : List.of("1", "2", "3")) {
                        forgotten.key = LockKey.of("orders", key);
                        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> orders.several(() -> {}));
                        assertThat(context.getBean(Database.class).rows())
                                .as(key)
                                .isEmpty();
                    }
                    forgotten.key = LockKey.of("none");
                    orders.several(() -> {});
                    assertThat(context.getBean(Database.class).rows()).containsExactly("several");
                });
    }

    @Test
    void aStoreIsAskedAboutEachOfTheLocksAroundATransaction() {
        Database.runner()
                .withBean(Orders.class)
                .withUserConfiguration(ForgettingOneKey.class)
                .withPropertyValues(ASK)
                .run(context -> {
                    LockTemplate locks = context.getBean(LockTemplate.class);
                    Forgotten forgotten = context.getBean(Forgotten.class);
                    for (String name : List.of("outer", "inner", "orders")) {
                        forgotten.key = LockKey.of(name);
                        assertThatExceptionOfType(LockLostException.class)
                                .isThrownBy(() -> locks.lock("outer")
                                        .run(() -> locks.lock("inner").run(context.getBean(Orders.class)::order)));
                        assertThat(context.getBean(Database.class).rows())
                                .as(name)
                                .isEmpty();
                    }
                });
    }

    /** The store keeps it for the lock-delay; the holder must not rely on that. */
    @Test
    void aStoreThatStillHasTheLockDoesNotConfirmOneThatIsLostByTheClock() {
        Database.runner().withBean(Orders.class).withPropertyValues(ASK).run(context -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> context.getBean(Orders.class)
                            .several(() -> context.getBean(ManualTicker.class).advance(Duration.ofSeconds(31))));
            assertThat(context.getBean(Database.class).rows()).isEmpty();
        });
    }

    @Test
    void aSilentStoreRollsTheTransactionBackAndTheLockIsFree() {
        Database.runner()
                .withBean(Orders.class)
                .withUserConfiguration(Silent.class)
                .withPropertyValues(ASK)
                .run(context -> {
                    assertThatExceptionOfType(LockUnavailableException.class)
                            .isThrownBy(context.getBean(Orders.class)::order);
                    assertThat(context.getBean(Database.class).rows()).isEmpty();
                    assertThat(context.getBean(LockClient.class).inspect(LockKey.of("orders")))
                            .isEmpty();
                });
    }

    @Test
    void aSilentStoreRollsTheReactiveTransactionBack() {
        assertRolledBack(Silent.class, LockUnavailableException.class);
    }

    @Test
    void aStoreThatHasForgottenTheGrantRollsTheReactiveTransactionBack() {
        assertRolledBack(CommitGuardTests.Forgetful.class, LockLostException.class);
    }

    /** The answer is waited for, which an event loop must not do. */
    @Test
    void aReactiveTransactionAsksTheStoreOnAThreadThatMayWait() {
        List<Boolean> loops = new CopyOnWriteArrayList<>();
        ReactiveTransactionTests.runner()
                .withBean(ReactiveTransactionTests.Orders.class)
                .withBean(Watched.class, () -> new Watched(loops))
                .withPropertyValues(ASK)
                .run(context -> {
                    Mono<Void> endsOnALoop = Mono.delay(Duration.ofMillis(1), Schedulers.parallel())
                            .then();
                    context.getBean(ReactiveTransactionTests.Orders.class)
                            .underAnother(endsOnALoop)
                            .block(PATIENCE);
                    assertThat(loops).containsExactly(false);
                });
    }

    /** Notes whether the store is asked on a thread that must not block. */
    private record Watched(List<Boolean> loops) implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof LockProvider provider
                    ? Proxy.newProxyInstance(
                            getClass().getClassLoader(), new Class<?>[] {LockProvider.class}, (proxy, method, args) -> {
                                if (method.getName().equals("isCurrent")) {
                                    loops.add(Schedulers.isInNonBlockingThread());
                                }
                                return method.invoke(provider, args);
                            })
                    : bean;
        }
    }

    private static void assertRolledBack(Class<?> store, Class<? extends LockException> told) {
        ReactiveTransactionTests.runner()
                .withBean(ReactiveTransactionTests.Orders.class)
                .withUserConfiguration(store)
                .withPropertyValues(ASK)
                .run(context -> {
                    StepVerifier.create(context.getBean(ReactiveTransactionTests.Orders.class)
                                    .onOneMethod(false))
                            .expectError(told)
                            .verify(PATIENCE);
                    assertThat(context.getBean(Table.class).rows()).isEmpty();
                });
    }
}
