package io.distlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLostException;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.redis.RedisLockProvider;
import io.distlock.redis.autoconfigure.RedisLockAutoConfiguration;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.test.application.LockTester;
import io.distlock.test.spring.InMemoryLocks;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that is configured for Redis, tested without any. */
@SpringBootTest(
        webEnvironment = WebEnvironment.NONE,
        properties = {
            "distributed-lock.provider=redis",
            "distributed-lock.redis.enabled=true",
            "distributed-lock.wait-time=1m",
            "spring.data.redis.host=no-such-host.invalid"
        })
@InMemoryLocks
@DisabledIfSystemProperty(
        named = "distlock.test.aot",
        matches = "true",
        disabledReason = "the context is not of that kind")
class InMemoryLocksTests {

    @Autowired
    LockTester locks;

    @Autowired
    Jobs jobs;

    @Autowired
    ApplicationContext context;

    static class Jobs {

        @DistributedLock(name = "orders", key = "#id")
        public void run(String id, Runnable body) {
            body.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DataRedisAutoConfiguration.class,
        RedisLockAutoConfiguration.class,
        LockAutoConfiguration.class,
        LockAopAutoConfiguration.class
    })
    static class Application {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    @Test
    void theConfiguredStoreIsNotThere() {
        assertThat(context.getBean(LockClients.class).providers()).containsExactly("in-memory");
        assertThat(context.getBean(LockClient.class).provider()).isEqualTo("in-memory");
        assertThat(context.getBeanProvider(RedisLockProvider.class)).isEmpty();
    }

    @Test
    void aMethodRunsUnderItsLock() {
        jobs.run("42", () -> locks.assertThatLock("orders", "42").isHeld());
        locks.assertThatLock("orders", "42").wasAcquired().wasReleased().isFree();
    }

    @Test
    void aMethodWaitsForALockThatIsHeldElsewhere() {
        HeldLock other = locks.holdElsewhere("orders", "42");
        CompletableFuture<Void> call = CompletableFuture.runAsync(() -> jobs.run("42", () -> {}));
        await().untilAsserted(() -> locks.assertThatLock("orders", "42").isWaitedFor());
        other.release();
        call.join();
        locks.assertThatLock("orders", "42").wasAcquired();
    }

    @Test
    void aMethodIsRefusedItsLock() {
        locks.refuse("orders", "42");
        assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> jobs.run("42", () -> {}));
        locks.assertThatLock("orders", "42").wasRefused().wasNeverAcquired();
    }

    @Test
    void aMethodMeetsAStoreThatDoesNotAnswer() {
        locks.failStore();
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> jobs.run("42", () -> {}));
    }

    @Test
    void aMethodLosesItsLockInTheMiddle() {
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> jobs.run("42", () -> locks.lose("orders", "42")));
        locks.assertThatLock("orders", "42").wasLost();
    }

    @RepeatedTest(2)
    void aTestFindsNothingOfTheOneBefore() {
        jobs.run("42", () -> {});
        assertThat(locks.acquired()).containsExactly(LockKey.of("orders", "42"));
        locks.holdElsewhere("orders", "42");
        locks.refuse("orders", "43");
        locks.failStore();
    }
}
