package io.distlock.redis.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.redis.autoconfigure.RedlockConnectionDetails.Node;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.testcontainers.containers.GenericContainer;

/** What Spring Boot starts for development and for tests is found without a list of nodes. */
class RedlockServiceConnectionTests {

    @RegisterExtension
    static final RedisServersExtension redis = RedisServersExtension.create(3);

    private static Map<Class<?>, ConnectionDetails> found(Map<String, String> labels) {
        Map<String, String> env = Map.of("REDIS_PASSWORD", "secret");
        ComposeService service = new ComposeService("lock-a", "redis:8", "docker-host", 36_379, env, labels);
        return new ConnectionDetailsFactories(null).getConnectionDetails(service.source(), false);
    }

    @Test
    void aServiceOfDockerComposeIsANodeIfItsLabelSaysSo() {
        assertThat(found(Map.of("org.springframework.boot.service-connection", "redlock"))
                        .get(RedlockConnectionDetails.class))
                .isInstanceOfSatisfying(
                        RedlockConnectionDetails.class,
                        details -> assertThat(details.getNodes())
                                .containsExactly(new Node("docker-host", 36_379, null, "secret", 0, false)));
    }

    @Test
    void aRedisWithoutTheLabelIsTheApplicationsOwn() {
        assertThat(found(Map.of()))
                .containsKey(DataRedisConnectionDetails.class)
                .doesNotContainKey(RedlockConnectionDetails.class);
    }

    @Test
    void theContainersOfATestAreTheNodes() {
        new ApplicationContextRunner()
                .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
                .withUserConfiguration(Containers.class)
                .withConfiguration(
                        AutoConfigurations.of(ServiceConnectionAutoConfiguration.class, RedlockAutoConfiguration.class))
                .withPropertyValues(
                        "distributed-lock.provider=redlock", "distributed-lock.redlock.restart-guard.enabled=false")
                .run(started -> {
                    assertThat(started.getBeansOfType(RedlockConnectionDetails.class))
                            .hasSize(3);
                    assertThat(started.getBean(LockProvider.class)
                                    .check()
                                    .toCompletableFuture()
                                    .get(30, TimeUnit.SECONDS)
                                    .toString())
                            .contains(String.valueOf(redis.get(2).port()));
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Containers {

        @Bean
        @ServiceConnection("redlock")
        GenericContainer<?> a() {
            return new RunningContainer(redis.get(0));
        }

        @Bean
        @ServiceConnection("redlock")
        GenericContainer<?> b() {
            return new RunningContainer(redis.get(1));
        }

        @Bean
        @ServiceConnection("redlock")
        GenericContainer<?> c() {
            return new RunningContainer(redis.get(2));
        }
    }

    /** Stands for a container in which a server of the test's own runs. */
    private static final class RunningContainer extends GenericContainer<RunningContainer> {

        private final RedisServer server;

        RunningContainer(RedisServer server) {
            super("redis:8");
            this.server = server;
        }

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public String getHost() {
            return server.host();
        }

        @Override
        public Integer getMappedPort(int originalPort) {
            return server.port();
        }
    }
}
