package io.distlock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderListener;
import io.distlock.leader.LeaderTerm;
import io.distlock.leader.Revocation;
import io.distlock.spring.LockTestContext;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;

/** Beans that run on the leader only: in which order they start and stop, and what a failure of one means to the others. */
class RoleBeansTests {

    private static final LeaderTerm TERM = new LeaderTerm("report", new FencingToken(1), Instant.EPOCH);

    private final List<String> journal = new CopyOnWriteArrayList<>();
    private final StaticListableBeanFactory beans = new StaticListableBeanFactory();
    private final Bean first = bean("first");
    private final Bean second = bean("second");
    private final Bean third = bean("third");
    private final RoleBeans followers =
            new RoleBeans(beans, "report", List.of("first", "second", "third"), Duration.ofMinutes(1));

    private final class Bean implements Lifecycle {

        private final String name;
        private boolean running;

        Bean(String name) {
            this.name = name;
        }

        @Override
        public void start() {
            journal.add("start " + name);
            running = true;
        }

        @Override
        public void stop() {
            journal.add("stop " + name);
            running = false;
            if (name.equals("second")) {
                throw new IllegalStateException("second cannot stop");
            }
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    private Bean bean(String name) {
        Bean bean = new Bean(name);
        beans.addBean(name, bean);
        return bean;
    }

    @Test
    void whatDoesNotRunStartsInOrder() {
        second.start();
        journal.clear();

        followers.onElected(TERM);

        assertThat(journal).containsExactly("start first", "start third");
    }

    @Test
    void whatRunsStopsLastFirstAndAFailureKeepsNoOtherRunning() {
        followers.onElected(TERM);
        third.stop();
        journal.clear();

        assertThatIllegalStateException()
                .isThrownBy(() -> followers.onRevoked(TERM, Revocation.RESIGNED))
                .withMessage("second cannot stop");

        assertThat(journal).containsExactly("stop second", "stop first");
        assertThat(first.isRunning()).isFalse();
    }

    /** Another instance may lead as soon as this returns. */
    @Test
    void aBeanThatStopsInTheBackgroundIsWaitedFor() throws InterruptedException {
        AtomicReference<Runnable> stopped = new AtomicReference<>();
        beans.addBean("slow", new SmartLifecycle() {

            @Override
            public void start() {}

            @Override
            public void stop() {}

            @Override
            public void stop(Runnable callback) {
                stopped.set(callback);
            }

            @Override
            public boolean isRunning() {
                return true;
            }
        });
        RoleBeans slow = new RoleBeans(beans, "report", List.of("slow"), Duration.ofMinutes(1));
        Thread revoking = new Thread(() -> slow.onRevoked(TERM, Revocation.RESIGNED));
        revoking.start();
        await().until(() -> revoking.getState() == Thread.State.TIMED_WAITING);

        stopped.get().run();

        revoking.join();
    }

    /** Listeners prepare what the beans need. */
    @Test
    void listenersAreToldBeforeTheBeansStartAndAfterTheyHaveStopped() {
        LockTestContext.inMemory()
                .withPropertyValues(
                        "distributed-lock.leader.roles.report.auto-start=false",
                        "distributed-lock.leader.roles.report.lifecycle-beans=first")
                .withBean("first", Lifecycle.class, () -> first)
                .withBean(LeaderListener.class, () -> new LeaderListener() {

                    @Override
                    public void onElected(LeaderTerm term) {
                        journal.add("elected");
                    }

                    @Override
                    public void onRevoked(LeaderTerm term, Revocation reason) {
                        journal.add("revoked");
                    }
                })
                .run(context -> {
                    journal.clear();
                    LeaderElections elections = context.getBean(LeaderElections.class);
                    LeaderElection election = elections.get("report");
                    election.stand();
                    await().until(election::isLeader);
                    election.withdraw().toCompletableFuture().join();

                    assertThat(journal).containsExactly("elected", "start first", "stop first", "revoked");
                    elections.close();
                    assertThatIllegalStateException().isThrownBy(election::stand);
                });
    }
}
