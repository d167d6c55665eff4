package io.distlock.spring.leader.actuator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderTerm;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.leader.LeaderElections;
import io.distlock.spring.leader.LeaderOnly;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;
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
}
