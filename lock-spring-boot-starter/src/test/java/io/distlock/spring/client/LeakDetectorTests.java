package io.distlock.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spring.LockTestContext;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.slf4j.LoggerFactory;

/** Locks that are held for too long. Time stands still. */
class LeakDetectorTests {

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final LockClient client = watched(Duration.ofMinutes(1));
    private final Logger logger = (Logger) LoggerFactory.getLogger(LeakDetector.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    private LockClient watched(Duration threshold) {
        LockClient client = plain();
        LeakDetector.watch(client, threshold, runtime);
        return client;
    }

    private LockClient plain() {
        return LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
                .callbackExecutor(Runnable::run)
                .build();
    }

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
    }

    private HeldLock takeAndForget() {
        return client.acquire(client.request("orders", "42"));
    }

    @Test
    void aLockThatIsHeldTooLongIsLoggedOnceWithTheCallThatTookIt() {
        takeAndForget();
        ticker.advance(Duration.ofSeconds(59));
        assertThat(log.list).isEmpty();
        ticker.advance(Duration.ofMinutes(30));
        assertThat(log.list).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.WARN);
            assertThat(event.getFormattedMessage())
                    .contains("orders:42", "60000 ms", Thread.currentThread().getName());
            assertThat(Arrays.stream(event.getThrowableProxy().getStackTraceElementProxyArray()))
                    .anyMatch(frame -> frame.getSTEAsString().contains("takeAndForget"));
        });
    }

    @Test
    void allThatAreHeldTooLongAtOnceAreLoggedEachOnce() {
        takeAndForget();
        client.acquire(client.request("orders", "43"));
        client.acquire(client.request("orders", "44"));
        ticker.advance(Duration.ofMinutes(30));
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactlyInAnyOrder(
                        text -> assertThat(text).contains("orders:42"),
                        text -> assertThat(text).contains("orders:43"),
                        text -> assertThat(text).contains("orders:44"));
    }

    @Test
    void aLockOnSeveralKeysIsLoggedOnceWithAllOfThem() {
        client.acquire(client.request(List.of(LockKey.of("orders", "42"), LockKey.of("orders", "43"))));
        ticker.advance(Duration.ofMinutes(2));
        assertThat(log.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage()).contains("orders:42", "orders:43"));
    }

    @Test
    void aLockThatIsGivenBackInTimeIsNotLogged() {
        takeAndForget().release();
        try (HeldLock held = takeAndForget()) {
            assertThat(held.isHeld()).isTrue();
        }
        ticker.advance(Duration.ofMinutes(2));
        assertThat(log.list).isEmpty();
    }

    @Test
    void aLockThatIsLostIsNotALeak() {
        client.acquire(client.request("orders", "42").withRenew(false));
        ticker.advance(Duration.ofMinutes(2));
        assertThat(log.list).isEmpty();
    }

    @Test
    void aThresholdOfZeroCostsNothing() {
        LockClient plain = Mockito.mock(LockClient.class);
        LeakDetector.watch(plain, Duration.ZERO, runtime);
        Mockito.verifyNoInteractions(plain);
    }

    @Test
    void thePropertyLetsAllLocksBeWatched() {
        LockTestContext.inMemory()
                .withPropertyValues("distributed-lock.leak-threshold=10ms")
                .run(context -> {
                    LockClient client = context.getBean(LockClient.class);
                    try (HeldLock lock = client.acquire(client.request("orders", "42"))) {
                        await().untilAsserted(() -> assertThat(log.list)
                                .singleElement()
                                .asString()
                                .contains(lock.toString(), "held for more than 10 ms"));
                    }
                });
    }
}
