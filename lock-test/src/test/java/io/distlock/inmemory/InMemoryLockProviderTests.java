package io.distlock.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.Sequencer;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InMemoryLockProviderTests {

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
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

    private Map<String, Object> details() {
        return provider.check().toCompletableFuture().join().details();
    }
}
