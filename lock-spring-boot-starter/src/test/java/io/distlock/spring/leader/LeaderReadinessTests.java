package io.distlock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockRequest;
import io.distlock.leader.LeaderElection;
import io.distlock.spring.LockTestContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Which events of an application make it stand, and what it waits for when it stops: for each of its roles. */
class LeaderReadinessTests {

    private final ApplicationContextRunner runner = LockTestContext.inMemory()
            .withPropertyValues(
                    "distributed-lock.leader.roles.audit.auto-start=true",
                    "distributed-lock.leader.roles.report.auto-start=true",
                    "distributed-lock.leader.roles.report.lease-time=20s",
                    "distributed-lock.leader.roles.report.revoke-timeout=30s");

    private static void ready(ConfigurableApplicationContext context) {
        context.publishEvent(
                new ApplicationReadyEvent(new SpringApplication(), new String[0], context, Duration.ofSeconds(1)));
    }

    private interface Work {

        void with(ConfigurableApplicationContext context);
    }

    /** On the context itself, which the runner wraps. */
    private void run(Work work) {
        runner.run(context -> work.with(context.getSourceApplicationContext(ConfigurableApplicationContext.class)));
    }

    private static LeaderElection election(ConfigurableApplicationContext context, String role) {
        return context.getBean(LeaderElections.class).get(role);
    }

    /** A parent hears the events of its children, which may be ready before it. */
    @Test
    void theReadinessOfAnotherContextIsNotItsOwn() {
        run(context -> {
            try (GenericApplicationContext child = new GenericApplicationContext(context)) {
                child.refresh();
                ready(child);
                assertThat(election(context, "report").isStanding()).isFalse();
            }
            ready(context);
            assertThat(election(context, "report").isStanding()).isTrue();
            assertThat(election(context, "audit").isStanding()).isTrue();
        });
    }

    @Test
    void whatHasBeenStoppedDoesNotStandWhenItBecomesReady() {
        run(context -> {
            context.stop();
            ready(context);
            assertThat(election(context, "report").isStanding()).isFalse();

            context.start();
            assertThat(election(context, "report").isStanding()).isTrue();
        });
    }

    /** The bean that says so to the context is told once, when the work of every role is over. */
    @Test
    void theStopOfTheContextWaitsForTheWorkOfEachRole() {
        run(context -> {
            ready(context);
            for (String busy : List.of("audit", "report")) {
                LeaderLifecycle lifecycle = context.getBean(LeaderLifecycle.class);
                await().until(() -> election(context, "audit").isLeader()
                        && election(context, "report").isLeader());
                var work = election(context, busy).enter().orElseThrow();
                AtomicBoolean stopped = new AtomicBoolean();
                lifecycle.stop(() -> stopped.set(true));
                String idle = busy.equals("audit") ? "report" : "audit";
                await().until(() -> election(context, idle).leader().isEmpty());
                assertThat(stopped).as(busy).isFalse();

                work.release();
                await().untilTrue(stopped);
                lifecycle.start();
            }
        });
    }

    @Test
    void aRoleHasTheLeaseAndTheRevokeTimeoutOfItsProperties() {
        run(context -> {
            assertThat(context.getBean(LeaderProperties.class)
                            .roles()
                            .get("report")
                            .revokeTimeout())
                    .isEqualTo(Duration.ofSeconds(30));
            LeaderElection election = election(context, "report");
            election.stand();
            await().until(election::isLeader);
            try (var work = election.enter().orElseThrow()) {
                assertThat(work.remaining()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
            }
        });
    }

    /** In whichever way it asks. */
    @Test
    void eachCallThatDoesNotEnterTheTermIsCountedForItsRole() {
        run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            TermClient terms = (TermClient) elections.terms("report");
            LockRequest any = terms.request("leader", "report");

            assertThat(terms.tryAcquire(any)).isEmpty();
            assertThat(terms.tryAcquireAsync(any)).isCompletedWithValueMatching(granted -> granted.isEmpty());
            assertThat(CompletableFuture.supplyAsync(
                                    () -> terms.acquireAsync(any).isCompletedExceptionally())
                            .join())
                    .isTrue();

            assertThat(elections.skipped("report")).isEqualTo(3);
            assertThat(elections.skipped("audit")).isZero();
        });
    }
}
