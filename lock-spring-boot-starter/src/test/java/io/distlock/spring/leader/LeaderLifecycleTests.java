package io.distlock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderListener;
import io.distlock.leader.LeaderTerm;
import io.distlock.leader.Revocation;
import io.distlock.support.LockRuntime;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Instances of an application on one store: when they stand, and when they let others lead. */
class LeaderLifecycleTests {

    private final LockRuntime runtime = LockRuntime.start();
    private final InMemoryLockProvider store = new InMemoryLockProvider(runtime);

    @AfterEach
    void close() {
        store.close();
        runtime.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        final List<String> news = new CopyOnWriteArrayList<>();

        @Bean
        static Report report() {
            return new Report();
        }

        @Bean
        static Consumer consumer() {
            return new Consumer();
        }

        @EventListener
        void started(ApplicationStartedEvent started) {
            LeaderElections all = started.getApplicationContext().getBean(LeaderElections.class);
            news.add("stands before it is ready: " + all.get("report").isStanding());
        }

        @EventListener
        void leader(LeaderEvent event) {
            news.add(
                    event instanceof LeaderEvent.Revoked revoked
                            ? "revoked " + revoked.reason()
                            : "elected " + event.role());
        }
    }

    static class Report {

        final AtomicInteger runs = new AtomicInteger();

        @Scheduled(fixedDelay = 5)
        @LeaderOnly("report")
        public void run() {
            runs.incrementAndGet();
        }

        public int runs() {
            return runs.get();
        }
    }

    static class Consumer implements SmartLifecycle {

        private volatile boolean running;

        @Override
        public boolean isAutoStartup() {
            return false;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    private ConfigurableApplicationContext start(String... properties) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        // No instance closes it.
        application.addInitializers(context -> context.getBeanFactory().registerSingleton("store", store));
        String[] all = Stream.concat(
                        Stream.of(
                                "--distributed-lock.leader.roles.report.lifecycle-beans=consumer",
                                "--distributed-lock.provider=in-memory",
                                "--distributed-lock.leader.roles.report.revoke-timeout=5s"),
                        Arrays.stream(properties))
                .toArray(String[]::new);
        return application.run(all);
    }

    private static LeaderElection election(ConfigurableApplicationContext context) {
        return context.getBean(LeaderElections.class).get("report");
    }

    private static List<String> news(ConfigurableApplicationContext context) {
        return context.getBean(Application.class).news;
    }

    @Test
    void standsWhenItIsReadyAndResignsFirstWhenItStops() {
        ConfigurableApplicationContext one = start();
        await().until(election(one)::isLeader);
        ConfigurableApplicationContext two = start();
        Report idle = two.getBean(Report.class);
        Report busy = one.getBean(Report.class);
        await().until(() -> busy.runs() > 3);
        assertThat(idle.runs()).isZero();
        assertThat(one.getBean(Consumer.class).isRunning()).isTrue();
        assertThat(two.getBean(Consumer.class).isRunning()).isFalse();
        List<String> told = news(one);
        Consumer stopped = one.getBean(Consumer.class);

        one.close();

        await().until(election(two)::isLeader);
        await().until(() -> idle.runs() > 3);
        await().until(() -> two.getBean(Consumer.class).isRunning());
        assertThat(stopped.isRunning()).isFalse();
        assertThat(told).containsExactly("stands before it is ready: false", "elected report", "revoked WITHDRAWN");
        two.close();
        assertThat(store.inspect(LockKey.of("leader", "report"))
                        .toCompletableFuture()
                        .join())
                .isEmpty();
    }

    @Test
    void aContextThatIsStartedAgainStandsAgain() {
        ConfigurableApplicationContext one = start();
        await().until(election(one)::isLeader);

        one.stop();
        assertThat(election(one).isStanding()).isFalse();
        one.start();

        await().until(election(one)::isLeader);
        one.close();
    }

    @Test
    void doesNotStandIfItIsNotToStartByItself() {
        ConfigurableApplicationContext one = start("--distributed-lock.leader.roles.report.auto-start=false");

        assertThat(election(one).isStanding()).isFalse();
        election(one).stand();
        await().until(election(one)::isLeader);
        one.close();
    }

    @Test
    void resignsIfABeanOfTheRoleCannotStart() {
        ConfigurableApplicationContext one = start("--distributed-lock.leader.roles.report.auto-start=false");
        List<Revocation> reasons = new CopyOnWriteArrayList<>();
        election(one).addListener(new LeaderListener() {

            @Override
            public void onElected(LeaderTerm term) {
                throw new IllegalStateException("cannot start");
            }

            @Override
            public void onRevoked(LeaderTerm term, Revocation reason) {
                reasons.add(reason);
            }
        });
        election(one).stand();

        await().until(() -> reasons.contains(Revocation.FAILED));
        one.close();
    }

    @Test
    void aBeanThatCannotFollowARoleIsFoundAtTheStart() {
        assertRefused("missing", "there is no bean of this name");
        assertRefused("report", "this bean is no Lifecycle");
        assertRefused("leaderLifecycle", "starts by itself on every instance");
    }

    private void assertRefused(String bean, String why) {
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> start("--distributed-lock.leader.roles.report.lifecycle-beans=" + bean))
                .satisfies(failure -> assertThat(failure).hasStackTraceContaining(why));
    }

    @Test
    void anUnknownProviderOfARoleIsFoundAtTheStart() {
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> start("--distributed-lock.leader.roles.report.provider=none"))
                .satisfies(failure -> assertThat(failure)
                        .rootCause()
                        .hasMessageContaining("distributed-lock.leader.roles.report.provider"));
    }

    @Test
    void aLeaseThatCannotBeRenewedIsFoundAtTheStart() {
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> start("--distributed-lock.leader.roles.report.lease-time=10ms"))
                .satisfies(failure -> assertThat(failure).hasStackTraceContaining("lease-time"));
    }
}
