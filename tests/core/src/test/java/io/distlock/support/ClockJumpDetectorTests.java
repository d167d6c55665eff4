package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockLoss;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Ticker;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leaps of the wall clock. */
class ClockJumpDetectorTests {

    private final ManualTicker ticker = new ManualTicker();
    private final ClockJumpDetector watch = new ClockJumpDetector(ticker, new ManualScheduler(ticker));

    @BeforeEach
    void start() {
        watch.start();
    }

    @Test
    void clocksThatGoTogetherAreNoAnomaly() {
        ticker.advance(Duration.ofHours(1));
        assertAnomalies(0, 0);
    }

    @Test
    void aLeapForwardIsCountedOnce() {
        ticker.stepWallClock(Duration.ofSeconds(30));
        ticker.advance(Duration.ofMinutes(1));
        assertAnomalies(1, 0);
    }

    @Test
    void aStepBackIsCountedOnce() {
        ticker.stepWallClock(Duration.ofSeconds(-30));
        ticker.advance(Duration.ofMinutes(1));
        assertAnomalies(0, 1);
    }

    @Test
    void eachLeapIsCounted() {
        for (int leap = 0; leap < 3; leap++) {
            ticker.stepWallClock(Duration.ofSeconds(30));
            ticker.advance(Duration.ofSeconds(5));
        }
        assertAnomalies(3, 0);
    }

    /** Both clocks are read one after the other, and the machine may stand still in between. */
    @Test
    void aPauseBetweenTheReadingsOfBothClocksIsNoAnomaly() {
        for (boolean beforeTheWallClock : List.of(true, false)) {
            AtomicBoolean pause = new AtomicBoolean();
            ManualTicker time = new ManualTicker();
            Ticker halting = new Ticker() {
                @Override
                public long nanos() {
                    long read = time.nanos();
                    haltIf(beforeTheWallClock);
                    return read;
                }

                @Override
                public long wallMillis() {
                    long read = time.wallMillis();
                    haltIf(!beforeTheWallClock);
                    return read;
                }

                private void haltIf(boolean here) {
                    if (here && pause.compareAndSet(true, false)) {
                        time.advance(Duration.ofMillis(900));
                    }
                }
            };
            ManualScheduler scheduler = new ManualScheduler(time);
            ClockJumpDetector detector = new ClockJumpDetector(halting, scheduler);
            detector.start();
            for (int round = 0; round < 3; round++) {
                time.advance(Duration.ofMillis(1_500));
                pause.set(true);
            }
            assertThat(detector.forward()).isZero();
            assertThat(detector.backward()).isZero();
        }
    }

    @Test
    void aStepBackIsToldToNobody() {
        AtomicBoolean told = new AtomicBoolean();
        watch.add(() -> told.set(true));
        ticker.stepWallClock(Duration.ofSeconds(-30));
        ticker.advance(Duration.ofSeconds(5));
        assertThat(told).isFalse();
    }

    @Test
    void aLeapIsOneOfMoreThanHalfASecond() {
        ticker.stepWallClock(Duration.ofMillis(501));
        ticker.advance(Duration.ofSeconds(5));
        ticker.stepWallClock(Duration.ofMillis(-501));
        ticker.advance(Duration.ofSeconds(5));
        assertAnomalies(1, 1);
    }

    @Test
    void smallCorrectionsAreNoAnomaly() {
        ticker.stepWallClock(Duration.ofMillis(500));
        ticker.advance(Duration.ofSeconds(5));
        ticker.stepWallClock(Duration.ofMillis(-500));
        ticker.advance(Duration.ofSeconds(5));
        assertAnomalies(0, 0);
    }

    /** No timer knows of the time that has passed. */
    @Test
    void afterALeapWhateverIsHeldIsLookedAtAtOnce() {
        ManualScheduler scheduler = new ManualScheduler(ticker);
        LockRuntime runtime = new LockRuntime(ticker, scheduler);
        runtime.clockJumps().start();
        LockClient client = LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
                .callbackExecutor(Runnable::run)
                .shutdownTimeout(Duration.ZERO)
                .build();
        HeldLock held = client.acquire(client.request("a"));
        HeldLock longer = client.acquire(client.request("b").withLeaseTime(Duration.ofMinutes(2)));
        CompletableFuture<LockLoss> lost = held.lost().toCompletableFuture();
        ticker.stepWallClock(Duration.ofSeconds(60));
        ticker.advance(Duration.ofSeconds(1));
        await().atMost(Duration.ofMinutes(1)).until(lost::isDone);
        assertThat(lost.join().reason()).isEqualTo(LockLoss.Reason.EXPIRED);
        assertThat(longer.isHeld()).isTrue();
        client.close();
        // The client is forgotten, and the clock is watched as before.
        ticker.stepWallClock(Duration.ofSeconds(60));
        ticker.advance(Duration.ofSeconds(1));
        assertThat(runtime.clockJumps().forward()).isEqualTo(2);
    }

    @Test
    void oneThatThrowsWhenToldDoesNotEndTheWatch() {
        watch.add(() -> {
            throw new IllegalStateException("fails on purpose");
        });
        for (int leap = 0; leap < 2; leap++) {
            ticker.stepWallClock(Duration.ofSeconds(30));
            assertThatIllegalStateException().isThrownBy(() -> ticker.advance(Duration.ofSeconds(1)));
        }
        assertAnomalies(2, 0);
    }

    private void assertAnomalies(long forward, long backward) {
        assertThat(watch.forward()).isEqualTo(forward);
        assertThat(watch.backward()).isEqualTo(backward);
    }
}
