package io.distlock.etcd.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.etcd.EtcdConnection;
import io.distlock.etcd.EtcdFence;
import io.distlock.etcd.EtcdLockOptions;
import io.distlock.etcd.EtcdLockProvider;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdExtension;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class EtcdLockAutoConfigurationTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static final List<String> NOT_OURS = List.of(
            "awaitility",
            "ForkJoinPool.commonPool",
            "HttpClient",
            "process reaper",
            "Common-Cleaner",
            "FailsafeDelayScheduler");

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
            .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, EtcdLockAutoConfiguration.class));

    private ApplicationContextRunner connected() {
        return context.withPropertyValues(
                "distributed-lock.etcd.endpoints=" + etcd.server().uri());
    }

    private static List<String> keysWhileLocked(ApplicationContext started) {
        try (LockClient locks = LockClientBuilder.of(
                                started.getBean(LockProvider.class), started.getBean(LockRuntime.class))
                        .build();
                HeldLock held = locks.acquire(locks.request("orders").withWaitTime(Duration.ofSeconds(20)))) {
            assertThat(held.isHeld()).isTrue();
            return etcd.probe().keys("").stream()
                    .filter(key -> !key.contains("//"))
                    .toList();
        }
    }

    @Test
    void locksOnTheEtcdOfTheProperties() {
        connected()
                .withPropertyValues("distributed-lock.key-prefix=shop", "distributed-lock.etcd.namespace=team/")
                .run(started -> assertThat(keysWhileLocked(started))
                        .singleElement()
                        .asString()
                        .startsWith("team/shop/orders/"));
    }

    @Test
    void startsWithoutEtcd() {
        context.withPropertyValues("distributed-lock.etcd.endpoints=http://localhost:1")
                .run(started -> assertThat(started).hasNotFailed().hasSingleBean(EtcdLockProvider.class));
    }

    @Test
    void bindsItsProperties() {
        connected()
                .withPropertyValues(
                        "distributed-lock.etcd.call-timeout=300ms", "distributed-lock.etcd.connect-timeout=4s")
                .run(started -> assertThat(started.getBean(EtcdLockOptions.class))
                        .isEqualTo(new EtcdLockOptions("lock", Duration.ofMillis(300))));
    }

    @Test
    void withoutPropertiesHasTheDefaults() {
        context.run(started -> {
            assertThat(started.getBean(EtcdLockOptions.class)).isEqualTo(EtcdLockOptions.defaults());
            assertThat(started.getBean(EtcdConnectionDetails.class).getEndpoints())
                    .containsExactly(URI.create("http://localhost:2379"));
        });
    }

    @Test
    void saysWhatIsWrongWithAProperty() {
        assertFailure("call-timeout=2m", "call timeout 2m is out of range: choose a value");
        assertFailure("connect-timeout=1ms", "connect timeout 1ms is out of range");
        assertFailure("endpoints=localhost:2379", "endpoint \"localhost:2379\" is not an http");
        assertFailure("endpoints=127.0.0.1:2379", "\"127.0.0.1:2379\" cannot be read: write each as http://host:port");
        assertFailure("endpoints=https://localhost:2379", "configure TLS");
        assertFailure("user=app", "user without a password");
        assertFailure("password=secret", "password without a user");
        assertFailure("distributed-lock.key-prefix", "=a/", "key prefix \"a/\"");
    }

    private void assertFailure(String setting, String message) {
        int end = setting.indexOf('=');
        assertFailure("distributed-lock.etcd." + setting.substring(0, end), setting.substring(end), message);
    }

    private void assertFailure(String property, String value, String message) {
        connected().withPropertyValues(property + value).run(started -> {
            assertThat(started.getStartupFailure()).rootCause().hasMessageContaining(message);
            assertThat(started.getStartupFailure())
                    .satisfies(failure -> assertThat(named(failure)).isEqualTo(property));
        });
    }

    private static String named(Throwable failure) {
        if (failure instanceof InvalidConfigurationPropertyValueException broken) {
            return broken.getName();
        }
        // Of a value that must not be shown.
        String message = String.valueOf(failure.getMessage());
        return message.startsWith("The property ") ? message.split(" ", -1)[2] : named(failure.getCause());
    }

    @Test
    void theNameOfTheProviderMayBeWrittenInCapitals() {
        connected()
                .withPropertyValues("distributed-lock.provider=ETCD")
                .run(started -> assertThat(started).hasSingleBean(EtcdLockProvider.class));
    }

    @Test
    void givesWayToAnotherProviderUnlessSwitchedOn() {
        var other = connected().withPropertyValues("distributed-lock.provider=redis");
        other.run(started -> assertThat(started).doesNotHaveBean(EtcdLockProvider.class));
        other.withPropertyValues("distributed-lock.etcd.enabled=true")
                .run(started -> assertThat(started).hasSingleBean(EtcdLockProvider.class));
        connected()
                .withPropertyValues("distributed-lock.provider=etcd")
                .run(started -> assertThat(started).hasSingleBean(EtcdLockProvider.class));
        connected()
                .withPropertyValues("distributed-lock.provider=etcd", "distributed-lock.etcd.enabled=false")
                .run(started -> assertThat(started)
                        .doesNotHaveBean(EtcdLockProvider.class)
                        .doesNotHaveBean(EtcdConnection.class));
    }

    @Test
    void needsALockRuntimeAndTheDriver() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(EtcdLockAutoConfiguration.class))
                .run(started -> assertThat(started).hasNotFailed().doesNotHaveBean(EtcdLockProvider.class));
        context.withClassLoader(new FilteredClassLoader("io.etcd"))
                .run(started -> assertThat(started).hasNotFailed().doesNotHaveBean(EtcdLockProvider.class));
    }

    /** A client of the application's own may have other settings, and be closed at any time. */
    @Test
    void leavesTheClientOfTheApplicationAlone() {
        try (Client client = Client.builder().endpoints("http://localhost:1").build()) {
            connected()
                    .withBean(Client.class, () -> client)
                    .run(started -> assertThat(keysWhileLocked(started)).hasSize(1));
        }
    }

    @Test
    void lastItLetsCustomizersChangeTheBuilderOfTheClient() {
        List<Duration> timeouts = new ArrayList<>();
        connected()
                .withPropertyValues("distributed-lock.etcd.connect-timeout=4s")
                .withBean(EtcdClientBuilderCustomizer.class, () -> builder -> {
                    timeouts.add(builder.connectTimeout());
                    builder.namespace(ByteSequence.from("customized/", StandardCharsets.UTF_8));
                })
                .run(started -> {
                    assertThat(timeouts).containsExactly(Duration.ofSeconds(4));
                    assertThat(keysWhileLocked(started))
                            .singleElement()
                            .asString()
                            .startsWith("customized/lock/orders/");
                });
    }

    @Test
    void connectsToWhereTheConnectionDetailsSay() {
        EtcdConnectionDetails details = () -> List.of(etcd.server().uri());
        context.withBean(EtcdConnectionDetails.class, () -> details)
                .withPropertyValues("distributed-lock.etcd.endpoints=http://localhost:1")
                .run(started -> {
                    assertThat(started).hasSingleBean(EtcdConnectionDetails.class);
                    assertThat(keysWhileLocked(started)).hasSize(1);
                });
    }

    @Test
    void givesWayToBeansOfTheUser() {
        connected().withUserConfiguration(OwnBeans.class).run(started -> {
            assertThat(started).hasSingleBean(EtcdLockProvider.class).hasSingleBean(EtcdConnection.class);
            assertThat(started.getBean(EtcdLockProvider.class)).isSameAs(started.getBean("myProvider"));
            assertThat(started.getBean(EtcdLockProvider.class).callTimeout()).isEqualTo(Duration.ofMillis(123));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnBeans {

        @Bean
        EtcdLockProvider myProvider(LockRuntime runtime, EtcdConnection connection) {
            return new EtcdLockProvider(
                    runtime, connection, EtcdLockOptions.defaults().withCallTimeout(Duration.ofMillis(123)));
        }
    }

    @Test
    void offersAFenceForItsProviderAlone() {
        context.withPropertyValues("distributed-lock.etcd.endpoints=http://localhost:1")
                .run(started -> assertThat(started).hasSingleBean(EtcdFence.class));
        context.withBean("etcdLockProvider", String.class, () -> "one that wraps another")
                .run(started -> assertThat(started).hasNotFailed().doesNotHaveBean(EtcdFence.class));
        context.withPropertyValues("distributed-lock.etcd.endpoints=http://localhost:1")
                .withUserConfiguration(OwnBeans.class)
                .withBean("another", EtcdLockProvider.class)
                .run(started -> assertThat(started).hasNotFailed().doesNotHaveBean(EtcdFence.class));
    }

    @Test
    void closesTheProviderBeforeItsConnectionAndThatBeforeTheRuntime() {
        connected().run(started -> {
            var beans = started.getSourceApplicationContext().getBeanFactory();
            assertThat(beans.getDependentBeans("lockRuntime")).contains("etcdLockConnection", "etcdLockProvider");
            assertThat(beans.getDependentBeans("etcdLockConnection")).contains("etcdLockProvider");
        });
    }

    @Test
    void leavesNoThreadsBehind() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        connected().run(started -> {
            assertThat(keysWhileLocked(started)).hasSize(1);
            assertThat(newThreads(before)).anyMatch(name -> name.startsWith("distlock"));
        });
        // The one for losses ends ten seconds after its last task.
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(newThreads(before)).isEmpty());
    }

    /** Whatever their names are, but for those of the tests, of the Java platform, and one that the driver keeps per JVM. */
    private static List<String> newThreads(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> NOT_OURS.stream().noneMatch(name::startsWith))
                .toList();
    }
}
