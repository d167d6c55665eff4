package io.distlock.spring.leader.actuator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderTerm;
import io.distlock.spi.LockProvider;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.leader.LeaderElections;
import io.distlock.spring.leader.LeaderOnly;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What operators see of elections. */
class LeaderActuatorTests {

    private final ApplicationContextRunner runner = LockTestContext.inMemory()
            .withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withBean(Job.class)
            .withPropertyValues(
                    "distributed-lock.leader.roles.report.auto-start=false",
                    "management.endpoints.web.exposure.include=leaders");

    static class Job {

        @LeaderOnly("report")
        public void run() {}
    }

    private static LeaderElection election(ApplicationContext context) {
        return context.getBean(LeaderElections.class).get("report");
    }

    private static void lead(ApplicationContext context) {
        election(context).stand();
        await().until(election(context)::isLeader);
    }

    @Test
    void withoutRolesThereIsNothingToShow() {
        LockTestContext.inMemory()
                .withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withPropertyValues("management.endpoints.web.exposure.include=leaders")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(LeadersHealthIndicator.class);
                    assertThat(context).doesNotHaveBean(LeaderMetrics.class);
                    assertThat(context).doesNotHaveBean(LeadersEndpoint.class);
                });
    }

    @Test
    void healthShowsTheTermAndIsUpWhereverItIs() {
        runner.run(context -> {
            LeadersHealthIndicator indicator = context.getBean(LeadersHealthIndicator.class);
            assertThat(indicator.health().getDetails().get("report"))
                    .isEqualTo(Map.of("leads", false, "stands", false));
            lead(context);

            Health health = indicator.health();
            LeaderTerm term = election(context).term().orElseThrow();

            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails().get("report"))
                    .isEqualTo(Map.of(
                            "leads", true, "stands", true, "term", term.token().value(), "since", term.since()));
        });
    }

    @Test
    void metricsCountTermsAndCallsThatDidNotRun() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            context.getBean(Job.class).run();
            assertThat(registry.get("distributed.leader")
                            .tag("role", "report")
                            .gauge()
                            .value())
                    .isZero();
            lead(context);
            assertThat(registry.get("distributed.leader")
                            .tag("role", "report")
                            .gauge()
                            .value())
                    .isEqualTo(1);
            election(context).withdraw().toCompletableFuture().join();

            assertThat(registry.get("distributed.leader.skipped")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("distributed.leader.elections").counter().count())
                    .isEqualTo(1);
            assertThat(registry.get("distributed.leader.revocations")
                            .tag("reason", "withdrawn")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("distributed.leader.revocations")
                            .tag("reason", "lost")
                            .counter()
                            .count())
                    .isZero();
        });
    }

    @Test
    void theEndpointShowsWhoLeadsAndLetsThisInstanceResign() {
        runner.run(context -> {
            LeadersEndpoint endpoint = context.getBean(LeadersEndpoint.class);
            assertThat(endpoint.leaders().roles().get("report"))
                    .isEqualTo(new LeadersEndpoint.Role(false, false, null, null));
            lead(context);
            LeaderTerm term = election(context).term().orElseThrow();

            LeadersEndpoint.Role role = endpoint.leader("report");

            assertThat(role.leads()).isTrue();
            assertThat(role.leader().term()).isEqualTo(term.token().value());
            assertThat(role.leader().since()).isEqualTo(term.since());
            assertThat(role.leader().instance()).startsWith("application@");
            assertThat(endpoint.resign("report")).isEqualTo(new LeadersEndpoint.Resignation(true));
            assertThat(endpoint.resign("report")).isEqualTo(new LeadersEndpoint.Resignation(false));
            assertThat(endpoint.leader("none")).isNull();
            assertThat(endpoint.resign("none")).isNull();
        });
    }

    @Test
    void theEndpointShowsTheLeaderElsewhere() {
        runner.run(context -> {
            LockClient other = LockTestContext.another(context);
            try (HeldLock lock = other.acquire(other.request("leader", "report"))) {
                LeadersEndpoint.Role role =
                        context.getBean(LeadersEndpoint.class).leader("report");

                assertThat(role.leads()).isFalse();
                assertThat(role.leader().term()).isEqualTo(lock.fencingToken().value());
            }
        });
    }

    @Test
    void theEndpointShowsThatAnInstanceStandsWhileAnotherLeadsAndEachRoleForItself() {
        runner.withPropertyValues("distributed-lock.leader.roles.audit.auto-start=false")
                .run(context -> {
                    LeadersEndpoint endpoint = context.getBean(LeadersEndpoint.class);
                    LockClient other = LockTestContext.another(context);
                    try (HeldLock lock = other.acquire(other.request("leader", "report"))) {
                        election(context).stand();

                        assertThat(endpoint.leader("report"))
                                .extracting(LeadersEndpoint.Role::stands, LeadersEndpoint.Role::leads)
                                .containsExactly(true, false);
                        assertThat(endpoint.leader("audit"))
                                .isEqualTo(new LeadersEndpoint.Role(false, false, null, null));
                        lock.ensureHeld();
                    }
                });
    }

    /** It knows of its own term without the store. */
    @Test
    void theEndpointOfTheLeaderShowsTheTermThoughTheStoreDoesNotAnswer() {
        AtomicBoolean silent = new AtomicBoolean();
        runner.withBean(SilentStore.class, () -> new SilentStore(silent)).run(context -> {
            lead(context);
            LeaderTerm term = election(context).term().orElseThrow();
            silent.set(true);

            LeadersEndpoint.Role role = context.getBean(LeadersEndpoint.class).leader("report");

            assertThat(role.error()).isEqualTo("the store did not answer");
            assertThat(role.leads()).isTrue();
            assertThat(role.leader().term()).isEqualTo(term.token().value());
        });
    }

    /** Answers no question about a lock while it is silent. */
    private record SilentStore(AtomicBoolean silent) implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof LockProvider provider
                    ? Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {LockProvider.class},
                            (proxy, method, arguments) ->
                                    silent.get() && method.getName().equals("inspect")
                                            ? CompletableFuture.failedFuture(new TimeoutException("no answer"))
                                            : method.invoke(provider, arguments))
                    : bean;
        }
    }
}
