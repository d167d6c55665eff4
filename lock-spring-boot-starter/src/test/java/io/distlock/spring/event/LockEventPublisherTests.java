package io.distlock.spring.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockLoss;
import io.distlock.spring.LockTestContext;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.EventListener;

/** What listeners of the application context hear of locks. */
class LockEventPublisherTests {

    private final ApplicationContextRunner runner =
            LockTestContext.manual().withConfiguration(AutoConfigurations.of(LockEventsAutoConfiguration.class));

    static class Listener {

        private final List<Object> heard = new CopyOnWriteArrayList<>();

        @EventListener
        void on(LockAcquired event) {
            heard.add(event);
        }

        @EventListener
        void on(LockReleased event) {
            heard.add(event);
        }

        @EventListener
        void on(LockLost event) {
            heard.add(event);
        }
    }

    static class Blocking {

        private final CountDownLatch mayEnd = new CountDownLatch(1);

        @EventListener
        void on(LockAcquired event) throws InterruptedException {
            mayEnd.await();
        }
    }

    static class Generic implements ApplicationListener<ApplicationEvent> {

        private final List<ApplicationEvent> heard = new CopyOnWriteArrayList<>();

        @Override
        public void onApplicationEvent(ApplicationEvent event) {
            heard.add(event);
        }
    }

    @Test
    void aListenerHearsOfGrantAndReleaseInOrder() {
        runner.withBean(Listener.class).run(context -> {
            LockClient client = context.getBean(LockClient.class);
            HeldLock held = client.acquire(client.request("orders", "42"));
            held.release();
            List<Object> heard = context.getBean(Listener.class).heard;
            await().until(() -> heard.size() == 2);
            assertThat(heard.get(0)).isInstanceOfSatisfying(LockAcquired.class, acquired -> {
                assertThat(acquired.provider()).isEqualTo("in-memory");
                assertThat(acquired.event().token()).isEqualTo(held.fencingToken());
            });
            assertThat(heard.get(1)).isInstanceOf(LockReleased.class);
        });
    }

    @Test
    void aListenerHearsOfALoss() {
        runner.withBean(Listener.class).run(context -> {
            LockClient client = context.getBean(LockClient.class);
            client.acquire(client.request("orders", "42").withRenew(false));
            context.getBean(ManualTicker.class).advance(Duration.ofSeconds(30));
            List<Object> heard = context.getBean(Listener.class).heard;
            await().until(() -> heard.size() == 2);
            assertThat(heard.get(1))
                    .isInstanceOfSatisfying(
                            LockLost.class,
                            lost -> assertThat(lost.event().loss().reason()).isEqualTo(LockLoss.Reason.EXPIRED));
        });
    }

    @Test
    void aListenerThatBlocksHoldsUpNoLock() {
        runner.withBean(Blocking.class).run(context -> {
            LockClient client = context.getBean(LockClient.class);
            for (int call = 0; call < 3; call++) {
                client.acquire(client.request("orders", "42")).release();
            }
            context.getBean(Blocking.class).mayEnd.countDown();
        });
    }

    @Test
    void nothingIsPublishedWhereNobodyMeansIt() {
        runner.withBean(Generic.class).run(context -> {
            LockClient client = context.getBean(LockClient.class);
            client.acquire(client.request("orders", "42")).release();
            LockEventPublisher publisher = context.getBean(LockEventPublisher.class);
            publisher.destroy();
            publisher.awaitEnd();
            assertThat(context.getBean(Generic.class).heard)
                    .noneMatch(event -> event instanceof PayloadApplicationEvent<?> payload
                            && payload.getPayload() instanceof LockAcquired);
        });
    }

    @Test
    void eachKindIsAnnouncedButRenewals() {
        assertThat(LockEvent.class.getPermittedSubclasses())
                .hasSize(LockEventPublisher.EVENT_TYPES.size() + 1)
                .contains(LockEvent.Renewed.class);
    }

    @Test
    void theUsersOwnPublisherComesFirst() {
        runner.withBean("ownPublisher", LockEventPublisher.class)
                .run(context -> assertThat(context.getBeanNamesForType(LockEventPublisher.class))
                        .containsExactly("ownPublisher"));
    }
}
