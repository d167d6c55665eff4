package io.distlock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockUnavailableException;
import io.distlock.spi.LockProvider;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.transaction.ReactiveTransactionTests.Table;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;
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
