package io.distlock.redis.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.redis.RedisLockOptions;
import io.distlock.redis.RedisLockProvider;
import io.distlock.redis.connection.RedisConnections;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.redis.RedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.javapoet.ClassName;

class RedisLockAutoConfigurationTests {

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
            .withConfiguration(
                    AutoConfigurations.of(DataRedisAutoConfiguration.class, RedisLockAutoConfiguration.class));

    private ApplicationContextRunner connected() {
        return context.withPropertyValues(
                "spring.data.redis.host=" + redis.server().host(),
                "spring.data.redis.port=" + redis.server().port());
    }

    @Test
    void locksOnTheRedisOfTheApplication() {
        connected().withPropertyValues("distributed-lock.key-prefix=shop:lock").run(started -> {
            try (LockClient locks = LockClientBuilder.of(
                            started.getBean(LockProvider.class), started.getBean(LockRuntime.class))
                    .build()) {
                locks.acquire(locks.request("orders").withWaitTime(Duration.ofSeconds(20)))
                        .close();
            }
            assertThat(redis.probe().keys()).allMatch(key -> key.startsWith("shop:lock:fence:"));
        });
    }

    @Test
    void startsWithoutRedis() {
        context.withPropertyValues("spring.data.redis.port=1")
                .run(started -> assertThat(started).hasNotFailed().hasSingleBean(RedisLockProvider.class));
    }

    @Test
    void bindsItsProperties() {
        connected()
                .withPropertyValues(
                        "distributed-lock.redis.call-timeout=300ms",
                        "distributed-lock.redis.connect-timeout=4s",
                        "distributed-lock.redis.replicas-to-acknowledge=2")
                .run(started -> assertThat(started.getBean(RedisLockOptions.class))
                        .isEqualTo(new RedisLockOptions("lock", Duration.ofMillis(300), Duration.ofSeconds(4), 2)));
    }

    @Test
    void withoutPropertiesHasTheDefaults() {
        connected()
                .run(started ->
                        assertThat(started.getBean(RedisLockOptions.class)).isEqualTo(RedisLockOptions.defaults()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            distributed-lock.redis.call-timeout            | 2m  | call timeout 2m is out of range: choose a value
            distributed-lock.redis.connect-timeout         | 1ms | connect timeout 1ms is out of range
            distributed-lock.redis.replicas-to-acknowledge | -1  | replicas to acknowledge -1 is negative
            distributed-lock.key-prefix                    | a{b | key prefix "a{b"
            """)
    void saysWhichPropertyIsWrongAndWhy(String property, String value, String why) {
        connected().withPropertyValues(property + "=" + value).run(started -> {
            assertThat(started.getStartupFailure()).rootCause().hasMessageContaining(why);
            assertThat(named(started.getStartupFailure())).isEqualTo(property);
        });
    }

    @Test
    void saysWhichPropertyDoesNotGoWithACluster() {
        ApplicationContextRunner cluster = context.withPropertyValues("spring.data.redis.cluster.nodes=localhost:1");
        cluster.withPropertyValues("distributed-lock.redis.replicas-to-acknowledge=1")
                .run(started -> assertThat(named(started.getStartupFailure()))
                        .isEqualTo("distributed-lock.redis.replicas-to-acknowledge"));
    }

    static String named(Throwable failure) {
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
                .withPropertyValues("distributed-lock.provider=Redis")
                .run(started -> assertThat(started).hasSingleBean(RedisLockProvider.class));
    }

    @Test
    void givesWayToAnotherProviderUnlessSwitchedOn() {
        var other = connected().withPropertyValues("distributed-lock.provider=etcd");
        other.run(started -> assertThat(started).doesNotHaveBean(RedisLockProvider.class));
        other.withPropertyValues("distributed-lock.redis.enabled=true")
                .run(started -> assertThat(started).hasSingleBean(RedisLockProvider.class));
        connected()
                .withPropertyValues("distributed-lock.provider=redis")
                .run(started -> assertThat(started).hasSingleBean(RedisLockProvider.class));
        connected()
                .withPropertyValues("distributed-lock.provider=redis", "distributed-lock.redis.enabled=false")
                .run(started -> assertThat(started)
                        .doesNotHaveBean(RedisLockProvider.class)
                        .doesNotHaveBean(RedisConnections.class));
    }

    @Test
    void needsALockRuntimeAndLettuce() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(DataRedisAutoConfiguration.class, RedisLockAutoConfiguration.class))
                .run(started -> assertThat(started).hasNotFailed().doesNotHaveBean(RedisLockProvider.class));
        context.withClassLoader(new FilteredClassLoader("io.lettuce"))
                .run(started -> assertThat(started).hasNotFailed().doesNotHaveBean(RedisLockProvider.class));
    }

    @Test
    void leavesTheConnectionsOfTheApplicationAlone() {
        connected().run(started -> {
            assertThat(started).hasSingleBean(RedisConnectionFactory.class);
            LettuceConnectionFactory factory = started.getBean(LettuceConnectionFactory.class);
            assertThat(factory.getClientConfiguration()
                            .getClientOptions()
                            .orElseThrow()
                            .getTimeoutOptions()
                            .isTimeoutCommands())
                    .isTrue();
            assertThat(factory.getConnection().ping()).isEqualTo("PONG");
        });
    }

    @Test
    void givesWayToBeansOfTheUser() {
        connected().withUserConfiguration(OwnBeans.class).run(started -> {
            assertThat(started).hasSingleBean(RedisLockProvider.class).hasSingleBean(RedisConnections.class);
            assertThat(started.getBean(RedisLockProvider.class)).isSameAs(started.getBean("myProvider"));
            assertThat(started.getBean(RedisLockProvider.class).callTimeout()).isEqualTo(Duration.ofMillis(123));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnBeans {

        @Bean
        RedisLockProvider myProvider(LockRuntime runtime, RedisConnections connections) {
            return new RedisLockProvider(
                    runtime, connections, RedisLockOptions.defaults().withCallTimeout(Duration.ofMillis(123)));
        }
    }

    @Test
    void closesTheProviderBeforeItsConnectionsAndThoseBeforeTheRuntime() {
        connected().run(started -> {
            var beans = started.getSourceApplicationContext().getBeanFactory();
            assertThat(beans.getDependentBeans("lockRuntime")).contains("redisLockConnections", "redisLockProvider");
            assertThat(beans.getDependentBeans("redisLockConnections")).contains("redisLockProvider");
        });
    }

    @Test
    void leavesNoThreadsBehind() {
        List<Thread> before = lockThreads();
        connected().run(started -> assertThat(started).hasSingleBean(RedisLockProvider.class));
        await().untilAsserted(() -> assertThat(lockThreads()).hasSizeLessThanOrEqualTo(before.size()));
    }

    private static List<Thread> lockThreads() {
        List<Thread> threads = new ArrayList<>(Thread.getAllStackTraces().keySet());
        threads.removeIf(thread ->
                !thread.getName().startsWith("lettuce") && !thread.getName().startsWith("distlock"));
        return threads;
    }

    /** And so does not connect. */
    @Test
    void processingAheadOfTimeMakesNoProvider() {
        try (var application = new AnnotationConfigApplicationContext()) {
            application.register(OwnRuntime.class, DataRedisAutoConfiguration.class, RedisLockAutoConfiguration.class);
            ClassNameGenerator names = new ClassNameGenerator(ClassName.get(getClass()));
            new ApplicationContextAotGenerator()
                    .processAheadOfTime(application, new DefaultGenerationContext(names, new InMemoryGeneratedFiles()));
            assertThat(application.containsBeanDefinition("redisLockProvider")).isTrue();
            assertThat(application.getBeanFactory().containsSingleton("redisLockProvider"))
                    .isFalse();
        }
    }

    @Test
    void aLazyApplicationConnectsOnlyOnceItsProviderIsNeeded() {
        context.withInitializer(application ->
                        application.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(started -> assertThat(started.getBeanFactory().containsSingleton("redisLockProvider"))
                        .isFalse());
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnRuntime {

        @Bean
        LockRuntime lockRuntime() {
            return LockRuntime.start();
        }
    }

    @Test
    void aNativeImageGetsTheScriptsAndTheFieldsThatAreRead() {
        RuntimeHints hints = new RuntimeHints();
        new RedisLockAutoConfiguration.NativeImageHints()
                .registerHints(hints, getClass().getClassLoader());
        assertThat(RuntimeHintsPredicates.resource().forResource("io/distlock/redis/script/renew.lua"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(LettuceConnectionFactory.class, "configuration"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(RedisClient.class, "redisURI"))
                .accepts(hints);
    }
}
