package io.distlock.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Sequencer;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class InMemoryLockProviderTests {

    private final ManualTicker ticker = new ManualTicker();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final LockRuntime runtime = new LockRuntime(ticker, scheduler);
    private final InMemoryLockProvider provider = new InMemoryLockProvider(runtime);

    @Test
    void aGrantThatWasGivenBackIsNotCurrentWhileItsKeyStaysTaken() {
        LockClient client = LockClientBuilder.of(provider, runtime).build();
        HeldLock held = client.acquire(client.request("job").withMinHoldTime(Duration.ofMinutes(1)));
        Sequencer sequencer = held.sequencers().get(0);
        assertThat(client.isCurrent(sequencer)).isTrue();
        held.release();
        assertThat(client.isCurrent(sequencer)).isFalse();
    }

    /** Nobody may ever ask for those keys again, as for an order that is done. */
    @Test
    void holdersThatVanishedDoNotPileUp() {
        FaultyLockProvider mute = new FaultyLockProvider(provider);
        mute.onRenew(Fault.SILENCE);
        mute.onRelease(Fault.SILENCE);
        LockClient client = LockClientBuilder.of(mute, runtime).build();
        for (int order = 0; order < 1_000; order++) {
            client.acquire(client.request("orders", "" + order));
            ticker.advance(Duration.ofSeconds(1));
        }
        // Each stands for half a minute.
        assertThat((Integer) details().get("keys")).isBetween(30, 100);
    }

    @Test
    void aKeyThatNobodyWaitsForAnyMoreHasNoTimer() {
        for (int order = 0; order < 100; order++) {
            Grant held = acquire("orders:" + order, "holder").join().orElseThrow();
            CompletableFuture<Optional<Grant>> next = acquire("orders:" + order, "next");
            CompletableFuture<Optional<Grant>> cancelled = acquire("orders:" + order, "cancelled");
            cancelled.cancel(true);
            provider.release(held.lease(), Duration.ZERO);
            provider.release(next.join().orElseThrow().lease(), Duration.ZERO);
        }
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void aWaiterThatGivesUpTakesTheTimerOfItsKeyAlong() {
        acquire("a", "holder");
        acquire("a", "waiter").cancel(true);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void closingLeavesNoTimer() {
        acquire("a", "holder");
        acquire("a", "waiter");
        provider.close();
        assertThat(scheduler.pending()).isZero();
    }

    private CompletableFuture<Optional<Grant>> acquire(String name, String owner) {
        return provider.acquire(new LeaseRequest(
                LockKey.of(name),
                LockMode.EXCLUSIVE,
                owner,
                LockOptions.defaults(),
                Deadline.in(Duration.ofSeconds(5), ticker)));
    }

    private Map<String, Object> details() {
        return provider.check().toCompletableFuture().join().details();
    }
}
