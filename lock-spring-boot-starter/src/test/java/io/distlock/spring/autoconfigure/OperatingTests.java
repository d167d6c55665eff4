package io.distlock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.spi.LockProvider;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockTestContext;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/** What an application has of its own accord to operate its locks, and what of it may be missing. */
class OperatingTests {

    private final ApplicationContextRunner runner = LockTestContext.inMemory()
            .withUserConfiguration(Application.class)
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=locks", "distributed-lock.observations.enabled=true");

    /** Imported by their names, as in an application: what is missing must not even be looked for. */
    @Configuration(proxyBeanMethods = false)
    @Import(Registered.class)
    static class Application {}

    static final class Registered implements DeferredImportSelector {

        @Override
        public String[] selectImports(AnnotationMetadata importing) {
            return registered().toArray(String[]::new);
        }
    }

    private static List<String> registered() {
        return ImportCandidates.load(AutoConfiguration.class, OperatingTests.class.getClassLoader())
                .getCandidates()
                .stream()
                .filter(name -> name.startsWith("io.distlock.spring."))
                .toList();
    }

    /** Public for a proxy that another class loader makes. */
    public static class Jobs {

        @DistributedLock("nightly")
        public void run() {}
    }

    private static String owner(LockClient client) {
        try (HeldLock held = client.acquire(client.request("orders"))) {
            assertThat(held.isHeld()).isTrue();
            return client.held().map(HeldLockInfo::owner).findFirst().orElseThrow();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org.springframework.boot.actuate",
                "org.springframework.boot.health",
                "org.springframework.boot.micrometer",
                "io.micrometer",
                "reactor",
                "org.springframework.jdbc",
                "org.springframework.transaction"
            })
    @DisabledIfSystemProperty(
            named = "distlock.test.aot",
            matches = "true",
            disabledReason = "Spring's own hints are found on the class path whatever a class loader hides")
    void locksWorkWithoutAnyOfThese(String missing) {
        runner.withBean(Jobs.class)
                .withClassLoader(new FilteredClassLoader(missing))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(Jobs.class).run();
                });
    }

    @Test
    void withAllOfThemAllOfItIsThere() {
        runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(ObservationRegistry.class, ObservationRegistry::create)
                .run(context -> assertThat(context)
                        .hasBean("lockMetrics")
                        .hasBean("locksEndpoint")
                        .hasBean("distributedLockHealthContributor")
                        .hasBean("lockEventPublisher")
                        .hasBean("lockObservations"));
    }

    @Test
    void anApplicationThatExcludesTheLocksStarts() {
        Class<?>[] others = registered().stream()
                .filter(name -> !name.equals(LockAutoConfiguration.class.getName()))
                .map(name -> ClassUtils.resolveClassName(name, null))
                .toArray(Class<?>[]::new);
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(others))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void theOwnerValueNamesApplicationAndInstance() {
        runner.withPropertyValues("spring.application.name=shop", "distributed-lock.instance-id=blue")
                .run(context ->
                        assertThat(owner(context.getBean(LockClient.class))).startsWith("shop@blue~"));
    }

    @Test
    void anInstanceWithoutAnIdIsNamedByHostAndProcess() {
        runner.withPropertyValues("HOSTNAME=web-1")
                .run(context -> assertThat(owner(context.getBean(LockClient.class)))
                        .startsWith(
                                "application@web-1." + ProcessHandle.current().pid() + "~"));
        runner.withPropertyValues("HOSTNAME=")
                .run(context -> assertThat(owner(context.getBean(LockClient.class)))
                        .startsWith("application@")
                        .contains("." + ProcessHandle.current().pid() + "~"));
    }

    @Test
    void aProviderThatCannotTakeALockAwaySaysSo() {
        runner.withBean("own", LockProvider.class, () -> new NamedProvider("own"))
                .run(context -> assertThatThrownBy(() -> context.getBean(LockClients.class)
                                .get("own")
                                .forceRelease(LockKey.of("orders"), new FencingToken(1)))
                        .isInstanceOf(UnsupportedOperationException.class)
                        .hasMessageContaining("'own'"));
    }

    @Test
    void theAutoConfigurationsAreRegistered() {
        assertThat(registered())
                .extracting(name -> name.substring(name.lastIndexOf('.') + 1))
                .contains(
                        "LockMetricsAutoConfiguration",
                        "LocksEndpointAutoConfiguration",
                        "LockHealthAutoConfiguration",
                        "LockObservationAutoConfiguration");
    }
}
