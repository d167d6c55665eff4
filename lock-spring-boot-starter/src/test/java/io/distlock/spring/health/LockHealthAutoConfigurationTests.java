package io.distlock.spring.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spi.LockProvider;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.autoconfigure.NamedProvider;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class LockHealthAutoConfigurationTests {

    private static final String BEAN = "distributedLockHealthContributor";

    private final ApplicationContextRunner runner =
            LockTestContext.inMemory().withConfiguration(AutoConfigurations.of(LockHealthAutoConfiguration.class));

    private static Status status(ApplicationContext context, String provider) {
        CompositeHealthContributor all = context.getBean(BEAN, CompositeHealthContributor.class);
        return ((HealthIndicator) all.getContributor(provider)).health().getStatus();
    }

    @Test
    void eachProviderHasAContributor() {
        runner.withBean("own", LockProvider.class, () -> new NamedProvider("own"))
                .run(context -> {
                    assertThat(status(context, "in-memory")).isEqualTo(Status.UP);
                    assertThat(status(context, "own")).isEqualTo(Status.UP);
                });
    }

    @Test
    void aStoreThatIsClosedIsDown() {
        runner.run(context -> {
            context.getBean(LockProvider.class).close();
            assertThat(status(context, "in-memory")).isEqualTo(Status.DOWN);
        });
    }

    @Test
    void aPropertyTurnsItOff() {
        runner.withPropertyValues("management.health.distributed-lock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(BEAN));
        runner.withPropertyValues("management.health.defaults.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(BEAN));
    }

    @Test
    void theUsersOwnComesFirst() {
        runner.withBean(
                        "distributedLockHealthIndicator",
                        HealthIndicator.class,
                        () -> () -> Health.outOfService().build())
                .run(context -> assertThat(context).doesNotHaveBean(BEAN));
    }
}
