package io.distlock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockListener;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.LockProvider;
import io.distlock.spi.Ticker;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.execution.EnclosingScope;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.spring.transaction.LockTransactionAutoConfiguration;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.InfrastructureAdvisorAutoProxyCreator;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class LockAutoConfigurationTests {

    static class Jobs {

        @DistributedLock("job")
        public HeldLock run() {
            return LockContext.current();
        }
    }

    @Test
    void theClientStartsFromTheProperties() {
        LockTestContext.inMemory()
                .withPropertyValues(
                        "distributed-lock.lease-time=20s",
                        "distributed-lock.wait-time=1s",
                        "distributed-lock.max-hold-time=2h",
                        "distributed-lock.min-hold-time=3s",
                        "distributed-lock.lock-delay=4s")
                .run(context -> {
                    assertThat(context).hasSingleBean(LockClient.class).hasSingleBean(LockClients.class);
                    assertThat(context.getBean(LockClient.class).options())
                            .isEqualTo(new LockOptions(
                                    Duration.ofSeconds(1),
                                    Duration.ofSeconds(20),
                                    true,
                                    Duration.ofHours(2),
                                    Duration.ofSeconds(3),
                                    Duration.ofSeconds(4)));
                });
    }

    @Test
    void withoutPropertiesTheOptionsAreTheDefaults() {
        LockTestContext.inMemory()
                .run(context ->
                        assertThat(context.getBean(LockClient.class).options()).isEqualTo(LockOptions.defaults()));
    }

    @Test
    void theInMemoryProviderIsNeverThereUnasked() {
        LockTestContext.withoutProvider()
                .withBean("own", LockProvider.class, () -> new NamedProvider("own"))
                .run(context -> assertThat(context).doesNotHaveBean(InMemoryLockProvider.class));
    }

    @Test
    void theUsersOwnBeansComeFirst() {
        LockTestContext.inMemory().withUserConfiguration(Own.class).run(context -> {
            assertThat(context).hasNotFailed();
            for (Class<?> type : List.of(
                    LockRuntime.class,
                    InMemoryLockProvider.class,
                    LockClients.class,
                    LockClient.class,
                    Executions.class)) {
                assertThat(context.getBeanNamesForType(type))
                        .singleElement()
                        .asString()
                        .startsWith("own");
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {

        @Bean
        LockRuntime ownRuntime() {
            return LockRuntime.start();
        }

        @Bean
        InMemoryLockProvider ownProvider(LockRuntime runtime) {
            return new InMemoryLockProvider(runtime);
        }

        @Bean
        LockClients ownClients(LockProvider provider, LockRuntime runtime) {
            return new LockClients(
                    List.of(LockClientBuilder.of(provider, runtime).build()), "in-memory");
        }

        @Bean
        LockClient ownClient(LockClients clients) {
            return clients.primary();
        }

        @Bean
        static Executions ownExecutions() {
            return new Executions(
                    EnclosingScope.Resolver.NONE,
                    Optional.empty(),
                    Ticker::system,
                    LockClientBuilder::defaultCallbackExecutor,
                    List::of);
        }
    }

    @Test
    void listenersInTheContextAreTold() {
        List<LockEvent> events = new ArrayList<>();
        LockTestContext.inMemory()
                .withBean(LockListener.class, () -> events::add)
                .withBean(Jobs.class)
                .run(context -> context.getBean(Jobs.class).run());
        assertThat(events)
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("Acquired", "Released");
    }

    @Test
    void aListenerThatFailsHarmsNoCall() {
        LockTestContext.inMemory()
                .withBean(LockListener.class, () -> event -> {
                    throw new IllegalStateException("of the listener");
                })
                .withBean(Jobs.class)
                .run(context -> assertThat(context.getBean(Jobs.class).run()).isNotNull());
    }

    @Test
    void lockingNeedsNoAspectJ() {
        // As where only transactions are enabled: this creator takes advisors of the infrastructure and no others.
        LockTestContext.inMemory()
                .withPropertyValues("spring.aop.auto=false")
                .withInitializer(context -> AopConfigUtils.registerAutoProxyCreatorIfNecessary(
                        (BeanDefinitionRegistry) context.getBeanFactory()))
                .withBean(Jobs.class)
                .run(context -> {
                    assertThat(context).hasSingleBean(InfrastructureAdvisorAutoProxyCreator.class);
                    assertThat(context.getBean(Jobs.class).run()).isNotNull();
                });
    }

    @Test
    void everythingWorksWithLazyInitialisation() {
        LockTestContext.inMemory()
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withBean(Jobs.class)
                .run(context -> {
                    assertThat(context.getBean(Jobs.class).run()).isNotNull();
                    assertThat(context.getBean(Jobs.class)).isInstanceOf(Advised.class);
                });
    }

    @Test
    void theAutoConfigurationsAreRegistered() {
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
                .contains(
                        LockAutoConfiguration.class.getName(),
                        LockTransactionAutoConfiguration.class.getName(),
                        LockAopAutoConfiguration.class.getName());
    }
}
