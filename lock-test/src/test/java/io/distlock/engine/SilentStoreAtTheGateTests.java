package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SilentStoreAtTheGateTests {

    /** A store that does not answer is no busy lock, also for those who stand behind the one who asks it. */
    @Test
    void whoWaitsBehindACallThatTheStoreDoesNotAnswerIsNotToldThatAnotherHasTheLock() {
        ManualTicker ticker = new ManualTicker();
        LockRuntime runtime = ManualScheduler.runtime(ticker);
        FaultyLockProvider provider = new FaultyLockProvider(new InMemoryLockProvider(runtime));
        LockClient client = new DefaultLockClient(
                new Engine(provider, runtime, Runnable::run), LockOptions.defaults(), Duration.ZERO, () -> {});
        provider.onAcquire(Fault.SILENCE);
        var first = client.acquireAsync(client.request("orders"));
        var second = client.acquireAsync(client.request("orders"));
        ticker.advance(Duration.ofSeconds(10));
        assertThat(first)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(LockUnavailableException.class);
        assertThat(second)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(LockUnavailableException.class);
    }
}
