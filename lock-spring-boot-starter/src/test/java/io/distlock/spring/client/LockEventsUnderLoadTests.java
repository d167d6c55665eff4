package io.distlock.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockMode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.ArgumentCaptor;
import org.mockito.Mockito;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Listeners that are too slow, that fail, and that are gone. */
@ExtendWith(OutputCaptureExtension.class)
class LockEventsUnderLoadTests {

    private static final int MOST_WAITING = 10_000;
    private static final String TOO_SLOW = "Listeners of lock events are too slow";

    private final ConfigurableApplicationContext context = Mockito.mock(
            ConfigurableApplicationContext.class, Mockito.withSettings().stubOnly());
    private final LockEventPublisher publisher = new LockEventPublisher(context);
    private final List<Object> heard = new CopyOnWriteArrayList<>();
    private LockListener events;

    @BeforeEach
    void listen() {
        LockClient client = Mockito.mock(LockClient.class);
        publisher.customize(client);
        ArgumentCaptor<LockListener> listener = ArgumentCaptor.captor();
        Mockito.verify(client).addListener(listener.capture());
        events = listener.getValue();
        hear(() -> {});
    }

    /** Runs this before each event is heard. */
    private void hear(Runnable before) {
        Mockito.doAnswer(call -> {
                    before.run();
                    return heard.add(call.getArgument(0));
                })
                .when(context)
                .publishEvent(Mockito.any(Object.class));
    }

    private static LockEvent event(int order) {
        return new LockEvent.Acquired(
                "in-memory",
                LockKey.of("orders", String.valueOf(order)),
                LockMode.EXCLUSIVE,
                new FencingToken(order),
                Duration.ZERO);
    }

    @Test
    void whatListenersTooSlowMissIsLoggedOnceAndTheRestIsHeard(CapturedOutput output) {
        CountDownLatch mayEnd = new CountDownLatch(1);
        hear(() -> awaitQuietly(mayEnd));
        for (int order = 1; order <= MOST_WAITING + 1; order++) {
            events.onEvent(event(order));
        }
        assertThat(output).doesNotContain(TOO_SLOW);
        events.onEvent(event(MOST_WAITING + 2));
        events.onEvent(event(MOST_WAITING + 3));
        mayEnd.countDown();
        await().until(() -> heard.size() == MOST_WAITING + 1);
        assertThat(output.getOut().split(TOO_SLOW, -1)).hasSize(2);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }

    @Test
    void aListenerThatFailsIsLoggedAndTheNextEventIsHeard(CapturedOutput output) {
        hear(() -> {
            if (heard.isEmpty()) {
                heard.add("failure");
                throw new AssertionError("broken listener");
            }
        });
        events.onEvent(event(1));
        events.onEvent(event(2));
        await().until(() -> heard.size() == 2);
        assertThat(output).contains("A listener failed on", "broken listener");
    }

    @Test
    void whatHappensAfterTheEndIsNeitherPublishedNorLogged(CapturedOutput output) {
        Mockito.when(context.isClosed()).thenReturn(true);
        publisher.start();
        publisher.stop();
        assertThat(publisher.isRunning()).isFalse();
        events.onEvent(event(1));
        assertThat(output).doesNotContain(TOO_SLOW);
        assertThat(heard).isEmpty();
    }

    /** As by {@code Lifecycle.stop()} of the context, or before it is started again. */
    @Test
    void aStopOfAContextThatGoesOnStopsNoEvents() {
        Mockito.when(context.isActive()).thenReturn(true);
        publisher.start();
        publisher.stop();
        assertThat(publisher.isRunning()).isTrue();
        events.onEvent(event(1));
        await().until(() -> heard.size() == 1);
    }
}
