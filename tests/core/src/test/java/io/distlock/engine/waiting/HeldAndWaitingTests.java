package io.distlock.engine.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.WaiterInfo;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.LockClientBuilder;
import io.distlock.engine.ManualEngine;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a client tells of the locks that it holds and waits for. */
@EndsInTime
class HeldAndWaitingTests {

    private final ManualEngine here = new ManualEngine();

    @Test
    void aLockThatIsHeldIsTold() {
        HeldLock held = here.hold("a");
        here.advanceMillis(1_000);
        assertThat(here.client.held())
                .containsExactly(new HeldLockInfo(
                        LockKey.of("a"),
                        1,
                        LockMode.EXCLUSIVE,
                        held.fencingToken(),
                        here.atStore("a").orElseThrow().holders().get(0).owner(),
                        Instant.EPOCH,
                        Duration.ofSeconds(1),
                        Duration.ofMillis(28_698),
                        0,
                        thisThread()));
        assertThat(here.client.waiting()).isEmpty();
    }

    @Test
    void renewalsAreCountedAndMoveTheRemainingTime() {
        here.hold("a");
        here.advanceMillis(25_000);
        assertThat(here.client.held()).singleElement().satisfies(hold -> {
            assertThat(hold.renewals()).isEqualTo(2);
            assertThat(hold.remaining()).isGreaterThan(Duration.ofSeconds(20));
            assertThat(hold.heldFor()).isEqualTo(Duration.ofSeconds(25));
        });
    }

    @Test
    void aLockOfSeveralKeysIsToldKeyByKey() {
        here.client.acquire(here.client.request(List.of(LockKey.of("a"), LockKey.of("b"))));
        assertThat(here.client.held()).extracting(hold -> hold.key().name()).containsExactlyInAnyOrder("a", "b");
        assertThat(here.client.held()).extracting(HeldLockInfo::thread).containsOnly(thisThread());
    }

    @Test
    void aCallThatWaitsIsTold() {
        here.other.acquire(here.now("a"));
        here.start(here.request("a").withMode(LockMode.SHARED));
        here.advanceMillis(2_000);
        assertThat(here.client.waiting())
                .containsExactly(new WaiterInfo(
                        LockKey.of("a"),
                        1,
                        LockMode.SHARED,
                        Instant.EPOCH,
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(3),
                        thisThread()));
        assertThat(here.client.held()).isEmpty();
    }

    @Test
    void aCallThatWaitsForAnyOfSeveralPermitsIsToldOnceWithTheirNumber() {
        LockRequest permits = here.request("a").withPermits(2);
        here.other.acquire(permits);
        here.other.acquire(permits);
        here.start(permits);
        assertThat(here.client.waiting()).singleElement().satisfies(wait -> {
            assertThat(wait.key()).isEqualTo(LockKey.of("a"));
            assertThat(wait.permits()).isEqualTo(2);
        });
    }

    @Test
    void aCallThatWaitsInTheQueueIsReported() {
        here.hold("a");
        here.start(here.request("a"));
        assertThat(here.client.waiting()).hasSize(1);
    }

    @Test
    void theKeyThatACallForSeveralHasComeToIsTold() {
        here.other.acquire(here.now("b"));
        LockRequest both = here.client.request(List.of(LockKey.of("a"), LockKey.of("b")));
        here.start(both);
        assertThat(here.client.waiting()).extracting(WaiterInfo::key).containsExactly(LockKey.of("b"));
        assertThat(here.client.held()).extracting(HeldLockInfo::key).containsExactly(LockKey.of("a"));
    }

    @Test
    void whatIsOverIsToldNoMore() {
        here.hold("a").release();
        here.other.acquire(here.now("b"));
        here.start(here.request("b"));
        here.advanceMillis(5_000);
        assertThat(here.client.held()).isEmpty();
        assertThat(here.client.waiting()).isEmpty();
    }

    @Test
    void allAreLookedAtInTheSameMoment() {
        AtomicLong step = new AtomicLong();
        LockRuntime runtime = new LockRuntime(new SteppingTicker(step), new ManualScheduler(new ManualTicker()));
        LockClient client =
                LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime).build();
        for (String name : List.of("a", "b", "c")) {
            client.acquire(client.request(name));
            client.acquireAsync(client.request(name));
        }
        step.set(1_000);
        assertThat(client.held().map(HeldLockInfo::heldFor).distinct()).hasSize(1);
        assertThat(client.waiting().map(WaiterInfo::waited).distinct()).hasSize(1);
    }

    /** Moves on by a step with each reading. */
    private record SteppingTicker(AtomicLong step, AtomicLong time) implements Ticker {

        SteppingTicker(AtomicLong step) {
            this(step, new AtomicLong());
        }

        @Override
        public long nanos() {
            return time.addAndGet(step.get());
        }

        @Override
        public long wallMillis() {
            return 0;
        }
    }

    @Test
    void aLockWhoseTimeIsOverIsNotToldThoughNoTimerHasRun() {
        ManualEngine still = new ManualEngine(here.ticker, new ManualTicker());
        still.hold("a");
        here.advanceMillis(30_000);
        assertThat(still.client.held()).isEmpty();
    }

    /** Not that of the constructor: the time limit gives each test a thread. */
    private static String thisThread() {
        return Thread.currentThread().getName();
    }
}
