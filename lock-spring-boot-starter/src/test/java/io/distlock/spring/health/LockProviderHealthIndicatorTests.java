package io.distlock.spring.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

class LockProviderHealthIndicatorTests {

    private final ManualTicker ticker = new ManualTicker();
    private final ManualScheduler scheduler = new ManualScheduler(ticker);
    private final LockRuntime runtime = new LockRuntime(ticker, scheduler);
    private final LockProvider provider = Mockito.mock(LockProvider.class);

    private Health health(CompletableFuture<ProviderStatus> answer) {
        Mockito.when(provider.callTimeout()).thenReturn(Duration.ofSeconds(1));
        Mockito.when(provider.check()).thenReturn(answer);
        return new LockHealthAutoConfiguration.LockProviderHealthIndicator(
                        provider, runtime.timeouts(), new Status("SHAKY"))
                .health();
    }

    private Health health(ProviderStatus.State state) {
        return health(CompletableFuture.completedFuture(new ProviderStatus(state, Map.of("version", "7.2"))));
    }

    @Test
    void aStoreThatWorksIsUpWithItsDetails() {
        assertThat(health(ProviderStatus.State.UP))
                .isEqualTo(Health.up().withDetail("version", "7.2").build());
    }

    @Test
    void aStoreThatShouldBeMendedHasTheConfiguredStatus() {
        Health health = health(ProviderStatus.State.DEGRADED);
        assertThat(health.getStatus()).isEqualTo(new Status("SHAKY"));
        assertThat(health.getDetails()).containsEntry("degraded", true).containsEntry("version", "7.2");
    }

    @Test
    void aStoreThatGrantsNothingIsDown() {
        assertThat(health(ProviderStatus.State.DOWN).getStatus()).isEqualTo(Status.DOWN);
    }

    @Test
    void aCheckThatFailsIsDown() {
        Health health = health(CompletableFuture.failedFuture(new IllegalStateException("broken")));
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails().get("error")).asString().contains("broken");
    }

    @Test
    void aCheckThatNeverEndsIsDownAfterThreeCallTimeouts() {
        CompletableFuture<Health> asked = new CompletableFuture<>();
        new Thread(() -> asked.complete(health(new CompletableFuture<>()))).start();
        await().until(() -> scheduler.pending() == 1);
        ticker.advance(Duration.ofMillis(2_999));
        assertThat(scheduler.pending()).isOne();
        ticker.advance(Duration.ofMillis(1));
        assertThat(asked.join().getStatus()).isEqualTo(Status.DOWN);
    }

    /** The server that ends its threads learns of it, and so does the caller, who has got no answer. */
    @Test
    void aCheckThatIsInterruptedSaysSoAndLeavesTheThreadInterrupted() {
        Thread.currentThread().interrupt();
        Health health = health(new CompletableFuture<>());
        assertThat(Thread.interrupted()).isTrue();
        assertThat(health)
                .isEqualTo(Health.unknown().withDetail("error", "interrupted").build());
    }

    /** Asked every few seconds, by everybody, and with a store that is as good as full. */
    @Test
    void aCheckTakesNoLock() {
        health(ProviderStatus.State.UP);
        Mockito.verify(provider, Mockito.atLeastOnce()).callTimeout();
        Mockito.verify(provider).check();
        Mockito.verifyNoMoreInteractions(provider);
    }
}
