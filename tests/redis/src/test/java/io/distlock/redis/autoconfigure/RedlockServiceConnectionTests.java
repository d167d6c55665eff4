package io.distlock.redis.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.redis.autoconfigure.RedlockConnectionDetails.Node;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServersExtension;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

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

    /** Spring Boot registers a bean for each service of Docker Compose that it knows. */
    @Test
    void theNodesOfSeveralBeansArePutTogether() {
        ApplicationContextRunner runner = new ApplicationContextRunner()
                .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
                .withConfiguration(AutoConfigurations.of(RedlockAutoConfiguration.class))
                .withPropertyValues(
                        "distributed-lock.provider=redlock", "distributed-lock.redlock.restart-guard.enabled=false");
        for (RedisServer server : redis.all()) {
            Node node = new Node(server.host(), server.port(), null, null, 0, false);
            runner = runner.withBean("node" + server.port(), RedlockConnectionDetails.class, () -> () -> List.of(node));
        }
        runner.run(started -> {
            String status = started.getBean(LockProvider.class)
                    .check()
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS)
                    .toString();
            assertThat(redis.all()).allMatch(server -> status.contains(String.valueOf(server.port())));
        });
    }
}
