package io.distlock.etcd.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdExtension;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.testcontainers.containers.GenericContainer;

/** What Spring Boot starts for development and for tests is found without a property. */
class EtcdServiceConnectionTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private static Map<Class<?>, ConnectionDetails> found(String image, Map<String, String> labels) {
        ComposeService service = new ComposeService("lock-store", image, "docker-host", 32_379, Map.of(), labels);
        return new ConnectionDetailsFactories(null).getConnectionDetails(service.source(), false);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "quay.io/coreos/etcd:v3.6.5",
                "gcr.io/etcd-development/etcd:v3.6.5",
                "registry.k8s.io/etcd:3.6.4-0",
                "bitnami/etcd"
            })
    void aServiceOfDockerComposeIsKnownByItsImage(String image) {
        assertThat(found(image, Map.of()).get(EtcdConnectionDetails.class))
                .isInstanceOfSatisfying(
                        EtcdConnectionDetails.class,
                        details -> assertThat(details.getEndpoints())
                                .containsExactly(URI.create("http://docker-host:32379")));
    }

    @Test
    void aServiceOfDockerComposeIsKnownByItsLabel() {
        Map<String, String> label = Map.of("org.springframework.boot.service-connection", "etcd");
        assertThat(found("our/own:1", label)).containsKey(EtcdConnectionDetails.class);
        assertThat(found("our/own:1", Map.of())).isEmpty();
    }

    @Test
    void locksInTheContainerOfATest() {
        new ApplicationContextRunner()
                .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
                .withUserConfiguration(Containers.class)
                .withConfiguration(AutoConfigurations.of(
                        ServiceConnectionAutoConfiguration.class, EtcdLockAutoConfiguration.class))
                .run(started -> {
                    try (LockClient locks = LockClientBuilder.of(
                                    started.getBean(LockProvider.class), started.getBean(LockRuntime.class))
                            .build()) {
                        locks.acquire(locks.request("orders").withWaitTime(Duration.ofSeconds(20)));
                        assertThat(etcd.probe().keys("lock/orders")).hasSize(1);
                    }
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Containers {

        @Bean
        @ServiceConnection("etcd")
        GenericContainer<?> etcdContainer() {
            return new RunningContainer();
        }
    }

    /** Stands for a container in which the test's own server runs. */
    private static final class RunningContainer extends GenericContainer<RunningContainer> {

        RunningContainer() {
            super("quay.io/coreos/etcd:v3.6.5");
        }

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public String getHost() {
            return etcd.server().host();
        }

        @Override
        public Integer getMappedPort(int originalPort) {
            return etcd.server().port();
        }
    }
}
