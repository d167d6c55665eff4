package io.distlock.spring.client;

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
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;

/** What listeners of the application context hear of locks. */
class LockEventPublisherTests {

    private final ApplicationContextRunner runner = LockTestContext.manual();

    static class Listener {

        private final List<Object> heard = new CopyOnWriteArrayList<>();

        @EventListener
        void on(LockEvent.Acquired event) {
            heard.add(event);
        }

        @EventListener
        void on(LockEvent.Released event) {
            heard.add(event);
        }

        @EventListener
        void on(LockEvent.Lost event) {
            heard.add(event);
        }
    }

    static class ListenerToAll {

        private final List<LockEvent> heard = new CopyOnWriteArrayList<>();

        @EventListener
        void on(LockEvent event) {
            heard.add(event);
        }
    }

    static class Blocking {

        private final CountDownLatch mayEnd = new CountDownLatch(1);

        @EventListener
        void on(LockEvent.Acquired event) throws InterruptedException {
            mayEnd.await();
        }
    }

    /** Stays with the first event until the context that is being closed waits for it, or has destroyed it. */
    static class UntilTheEnd implements DisposableBean {

        private final Thread closing = Thread.currentThread();
        private final List<String> heard = new CopyOnWriteArrayList<>();
        private volatile boolean destroyed;

        @EventListener
        void on(LockEvent event) {
            await().until(() -> destroyed || closing.getState() == Thread.State.TIMED_WAITING);
            heard.add(event.getClass().getSimpleName() + (destroyed ? " after the end" : ""));
        }

        @Override
        public void destroy() {
            destroyed = true;
        }
    }

    static class OfBeans implements ApplicationListener<PayloadApplicationEvent<LockEvent.Acquired>> {

        private final List<LockEvent> heard = new CopyOnWriteArrayList<>();

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<LockEvent.Acquired> event) {
            heard.add(event.getPayload());
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
            assertThat(heard.get(0)).isInstanceOfSatisfying(LockEvent.Acquired.class, acquired -> {
                assertThat(acquired.provider()).isEqualTo("in-memory");
                assertThat(acquired.token()).isEqualTo(held.fencingToken());
            });
            assertThat(heard.get(1)).isInstanceOf(LockEvent.Released.class);
        });
    }

    @Test
    void aListenerOfEveryKindHearsOfAllButRenewals() {
        runner.withBean(ListenerToAll.class).run(context -> {
            LockClient client = context.getBean(LockClient.class);
            HeldLock held = client.acquire(client.request("orders", "42"));
            assertThat(client.tryAcquire(client.request("orders", "42").withWaitTime(Duration.ZERO)))
                    .isEmpty();
            context.getBean(ManualTicker.class).advance(Duration.ofSeconds(15));
            assertThat(client.held()).allMatch(info -> info.renewals() == 1);
            held.release();
            List<LockEvent> heard = context.getBean(ListenerToAll.class).heard;
            await().until(() -> heard.size() == 3);
            assertThat(heard)
                    .allMatch(event -> event.provider().equals("in-memory"))
                    .extracting(event -> event.getClass().getSimpleName())
                    .containsExactly("Acquired", "NotAcquired", "Released");
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
                            LockEvent.Lost.class,
                            lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.EXPIRED));
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
    void whenTheContextClosesAListenerHearsOfWhatIsQueuedBeforeItIsDestroyed() {
        runner.withBean(UntilTheEnd.class)
                .withPropertyValues("distributed-lock.shutdown-timeout=0s")
                .run(context -> {
                    LockClient client = context.getBean(LockClient.class);
                    client.acquire(client.request("orders", "1")).release();
                    client.acquire(client.request("orders", "2"));
                    UntilTheEnd listener = context.getBean(UntilTheEnd.class);
                    context.getSourceApplicationContext().close();
                    assertThat(listener.destroyed).isTrue();
                    assertThat(listener.heard).containsExactly("Acquired", "Released", "Acquired", "Lost");
                });
    }

    @Test
    void aListenerThatIsALazyBeanHears() {
        runner.withInitializer(LockTestContext.bean("lazy", OfBeans.class, bean -> bean.setLazyInit(true)))
                .run(context -> {
                    acquireAndRelease(context);
                    await().until(() -> context.getBean(OfBeans.class).heard.size() == 1);
                });
    }

    @Test
    void aListenerOfTheParentContextHears() {
        try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(ListenerToAll.class)) {
            runner.withParent(parent).run(context -> {
                acquireAndRelease(context);
                await().until(() -> parent.getBean(ListenerToAll.class).heard.size() == 2);
            });
        }
    }

    private static void acquireAndRelease(ApplicationContext context) {
        LockClient client = context.getBean(LockClient.class);
        client.acquire(client.request("orders", "42")).release();
    }

    @Test
    void aPropertySwitchesThemOff() {
        runner.withPropertyValues("distributed-lock.events.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(LockEventPublisher.class));
    }

    @Test
    void theUsersOwnPublisherComesFirst() {
        runner.withBean("ownPublisher", LockEventPublisher.class)
                .run(context -> assertThat(context.getBeanNamesForType(LockEventPublisher.class))
                        .containsExactly("ownPublisher"));
    }
}
