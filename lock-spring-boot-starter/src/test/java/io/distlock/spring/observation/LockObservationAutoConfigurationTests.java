package io.distlock.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.client.MeterNameLimiter;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LockObservationAutoConfigurationTests {

    private final List<String> observed = new ArrayList<>();

    private final ApplicationContextRunner withoutRegistry =
            LockTestContext.inMemory().withConfiguration(AutoConfigurations.of(LockObservationAutoConfiguration.class));

    private final ApplicationContextRunner unasked =
            withoutRegistry.withBean(ObservationRegistry.class, this::registry);

    private final ApplicationContextRunner runner =
            unasked.withPropertyValues("distributed-lock.observations.enabled=true");

    private ObservationRegistry registry() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                observed.add(context.getName());
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }

    private static void lock(LockClient client) {
        client.acquire(client.request("orders")).release();
    }

    @Test
    void locksAreObservedIfAskedFor() {
        runner.run(context -> {
            lock(context.getBean(LockClient.class));
            assertThat(observed).containsExactly("distributed.lock", "distributed.lock");
        });
    }

    @Test
    void unaskedTheyAreObservedOnlyWhereThereIsATracer() {
        unasked.run(context -> assertThat(context).doesNotHaveBean(LockObservations.class));
    }

    @Test
    void aPropertyTurnsThemOff() {
        unasked.withPropertyValues("distributed-lock.observations.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(LockObservations.class));
    }

    @Test
    void aConventionInTheContextIsUsed() {
        runner.withBean(OwnConvention.class).run(context -> {
            lock(context.getBean(LockClient.class));
            assertThat(observed).containsExactly("own", "own");
        });
    }

    static class OwnConvention extends DefaultLockObservationConvention {

        @Override
        public String getName() {
            return "own";
        }
    }

    @Test
    void withoutARegistryOrMicrometerLocksWork() {
        withoutRegistry
                .withPropertyValues("distributed-lock.observations.enabled=true")
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(LockObservations.class);
                    lock(context.getBean(LockClient.class));
                });
        withoutRegistry
                .withPropertyValues("distributed-lock.observations.enabled=true")
                .withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean("lockObservations");
                    lock(context.getBean(LockClient.class));
                });
    }

    @Test
    void theUsersOwnComeFirst() {
        runner.withBean(
                        "own",
                        LockObservations.class,
                        () -> new LockObservations(ObservationRegistry.NOOP, null, new MeterNameLimiter()))
                .run(context -> assertThat(context.getBeanNamesForType(LockObservations.class))
                        .containsExactly("own"));
    }
}
