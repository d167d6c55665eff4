package io.distlock.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.client.MeterNameLimiter;
import io.distlock.support.LockRuntime;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LockMetricsAutoConfigurationTests {

    private final ApplicationContextRunner withoutRegistry = LockTestContext.inMemory()
            .withConfiguration(AutoConfigurations.of(LockMetricsAutoConfiguration.class))
            .withBean(Jobs.class);

    private final ApplicationContextRunner runner = withoutRegistry
            .withConfiguration(AutoConfigurations.of(
                    MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
            .withBean("simpleMeterRegistry", MeterRegistry.class, SimpleMeterRegistry::new);

    /** Public for a proxy that another class loader makes. */
    public static class Jobs {

        @DistributedLock(name = "nightly", key = "#item")
        public void run(String item) {}
    }

    @Test
    void locksOfAnnotatedMethodsAreMeasured() {
        runner.run(context -> {
            context.getBean(Jobs.class).run("42");
            assertThat(context.getBean(MeterRegistry.class)
                            .get("distributed.lock.acquire")
                            .tags("lock", "nightly", "provider", "in-memory", "mode", "exclusive")
                            .timer()
                            .count())
                    .isEqualTo(1);
        });
    }

    @Test
    void namesOfAnnotationsAreTagsHoweverManyOthersThereAre() {
        runner.run(context -> {
            LockClient client = context.getBean(LockClient.class);
            for (int name = 0; name < 200; name++) {
                client.acquire(client.request("made-up-" + name)).release();
            }
            context.getBean(Jobs.class).run("42");
            assertThat(context.getBean(MeterRegistry.class)
                            .find("distributed.lock.acquire")
                            .tag("lock", "nightly")
                            .timer())
                    .isNotNull();
        });
    }

    @Test
    void whatAllLocksShareIsMeasured() {
        runner.run(context -> assertThat(context.getBean(MeterRegistry.class)
                        .find("distributed.lock.clock.anomalies")
                        .functionCounters())
                .hasSize(2));
    }

    @Test
    void withoutARegistryNothingIsMeasured() {
        withoutRegistry.run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(LockMetrics.class);
            context.getBean(Jobs.class).run("42");
        });
    }

    @Test
    void withoutMicrometerLocksWork() {
        runner.withClassLoader(new FilteredClassLoader("io.micrometer")).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean("lockMetrics");
            context.getBean(Jobs.class).run("42");
        });
    }

    @Test
    void aPropertyTurnsThemOff() {
        runner.withPropertyValues("distributed-lock.metrics.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(LockMetrics.class)
                        .doesNotHaveBean(LockMetrics.RuntimeMeters.class));
    }

    @Test
    void theUsersOwnComeFirst() {
        MeterRegistry own = new SimpleMeterRegistry();
        LockRuntime runtime = LockRuntime.start();
        runner.withBean("own", LockMetrics.class, () -> new LockMetrics(own, new MeterNameLimiter(), runtime.ticker()))
                .withBean("ownToo", LockMetrics.RuntimeMeters.class, () -> new LockMetrics.RuntimeMeters(runtime))
                .run(context -> {
                    assertThat(context).hasSingleBean(LockMetrics.class).hasSingleBean(LockMetrics.RuntimeMeters.class);
                    context.getBean(Jobs.class).run("42");
                    assertThat(own.find("distributed.lock.acquire").timer()).isNotNull();
                });
        runtime.close();
    }
}
