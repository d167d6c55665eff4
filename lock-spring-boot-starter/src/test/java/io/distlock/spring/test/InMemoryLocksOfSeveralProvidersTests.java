package io.distlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.support.LockRuntime;
import io.distlock.test.application.LockTester;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.spring.InMemoryLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that works once by Redis and never twice by etcd, tested without either. */
@SpringBootTest(webEnvironment = WebEnvironment.NONE, properties = "distributed-lock.provider=redis")
@InMemoryLocks(alsoFor = "etcd")
@DisabledIfSystemProperty(
        named = "distlock.test.aot",
        matches = "true",
        disabledReason = "the context is not of that kind")
class InMemoryLocksOfSeveralProvidersTests {

    @Autowired
    LockTester locks;

    @Autowired
    Jobs jobs;

    @Autowired
    LockClients clients;

    @Autowired
    FaultyLockProvider etcdLockProvider;

    @Autowired
    LockRuntime runtime;

    static class Jobs {

        @DistributedLock(name = "orders")
        public void once(Runnable body) {
            body.run();
        }

        @DistributedLock(name = "orders", provider = "etcd")
        public void neverTwice(Runnable body) {
            body.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({AopAutoConfiguration.class, LockAutoConfiguration.class, LockAopAutoConfiguration.class})
    static class Application {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    @Test
    void eachProviderHasAMemoryOfItsOwn() {
        try (LockTester etcd = new LockTester(clients.get("etcd"), etcdLockProvider, runtime)) {
            jobs.neverTwice(() -> {
                etcd.assertThatLock("orders").isHeld();
                locks.assertThatLock("orders").wasNeverAcquired();
                jobs.once(() -> locks.assertThatLock("orders").isHeld());
            });
            etcd.assertThatLock("orders").wasAcquired().wasReleased();
        }
    }

    @Test
    void theDefaultIsInMemory() {
        assertThat(clients.primary().provider()).isEqualTo("in-memory");
        assertThat(clients.providers()).containsExactlyInAnyOrder("in-memory", "etcd");
    }
}
