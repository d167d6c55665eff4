package io.distlock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.application.LockTester;
import io.distlock.test.provider.FaultyLockProvider;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** An application that locks at its start, with two testers. The class has one test, which runs first, again and last. */
@SpringJUnitConfig(LockTesterResetTests.Application.class)
@InMemoryLocks(alsoFor = "etcd")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockTesterResetTests {

    private static final LockKey NIGHTLY = LockKey.of("nightly");

    @Autowired
    LockTester lockTester;

    @Autowired
    LockTester etcdTester;

    @Autowired
    LockClient client;

    @Autowired
    LockClient etcdClient;

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        LockRuntime runtime() {
            return LockRuntime.start();
        }

        @Bean
        LockClient client(FaultyLockProvider inMemoryLockProvider, LockRuntime runtime) {
            return of(inMemoryLockProvider, runtime);
        }

        @Bean
        LockClient etcdClient(FaultyLockProvider etcdLockProvider, LockRuntime runtime) {
            return of(etcdLockProvider, runtime);
        }

        @Bean
        LockTester etcdTester(LockClient etcdClient, FaultyLockProvider etcdLockProvider, LockRuntime runtime) {
            return new LockTester(etcdClient, etcdLockProvider, runtime);
        }

        @Bean
        ApplicationListener<ContextRefreshedEvent> atStart(LockClient client) {
            return started -> client.acquire(client.request("start")).release();
        }

        private static LockClient of(LockProvider provider, LockRuntime runtime) {
            return LockClientBuilder.of(provider, runtime)
                    .callbackExecutor(Runnable::run)
                    .build();
        }
    }

    @RepeatedTest(2)
    void aTestFindsNothingOfTheStartNorOfTheOneBefore() {
        assertThat(lockTester.acquired()).isEmpty();
        for (LockTester each : List.of(lockTester, etcdTester)) {
            each.holdElsewhere(NIGHTLY);
            each.failStore();
        }
    }

    /** Whatever comes next may share the context. */
    @AfterAll
    void afterTheLastTestNothingIsLeft() {
        for (LockClient each : List.of(client, etcdClient)) {
            assertThat(each.inspect(NIGHTLY)).isEmpty();
            each.acquire(each.request(NIGHTLY)).release();
        }
    }
}
