package io.distlock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.FaultyLockProvider;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** A test of an application whose methods name two further providers. */
@SpringJUnitConfig(InMemoryLocksContextTests.Application.class)
@InMemoryLocks(alsoFor = {"etcd", "zookeeper"})
class InMemoryLocksContextTests {

    @Autowired
    LockRuntime runtime;

    @Autowired
    Map<String, FaultyLockProvider> providers;

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        LockRuntime runtime() {
            return LockRuntime.start();
        }

        @Bean
        LockClient client(FaultyLockProvider inMemoryLockProvider, LockRuntime runtime) {
            return LockClientBuilder.of(inMemoryLockProvider, runtime).build();
        }
    }

    @Test
    void eachProviderHasItsNameAndAMemoryOfItsOwn() {
        assertThat(providers).hasSize(3);
        assertThat(providers.get("inMemoryLockProvider").name()).isEqualTo("in-memory");
        assertThat(providers.get("etcdLockProvider").name()).isEqualTo("etcd");
        assertThat(providers.get("zookeeperLockProvider").name()).isEqualTo("zookeeper");
        List<HeldLock> held = providers.values().stream()
                .map(provider -> LockClientBuilder.of(provider, runtime).build())
                .map(each -> each.acquire(each.request("nightly").withWaitTime(Duration.ZERO)))
                .toList();
        held.forEach(HeldLock::release);
    }

    @Test
    void aTestWithoutAContextOrWithoutATesterIsLeftAlone() {
        LockTesterReset reset = new LockTesterReset();
        for (TestContext each : List.of(
                context(Map.of("hasApplicationContext", false)),
                context(Map.of("hasApplicationContext", true, "getApplicationContext", empty())))) {
            reset.beforeTestMethod(each);
            reset.afterTestMethod(each);
        }
    }

    private static ApplicationContext empty() {
        StaticApplicationContext empty = new StaticApplicationContext();
        empty.refresh();
        return empty;
    }

    /** Answers nothing else. */
    private static TestContext context(Map<String, Object> answers) {
        return (TestContext) Proxy.newProxyInstance(
                TestContext.class.getClassLoader(), new Class<?>[] {TestContext.class}, (self, called, with) -> {
                    assertThat(answers).containsKey(called.getName());
                    return answers.get(called.getName());
                });
    }
}
