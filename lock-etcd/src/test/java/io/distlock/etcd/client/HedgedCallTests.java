package io.distlock.etcd.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HedgedCallTests {

    private static final Duration PATIENCE = Duration.ofMillis(250);

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final List<CompletableFuture<String>> asked = new ArrayList<>();
    private final CompletableFuture<String> answer = EtcdCalls.hedged(runtime.timeouts(), PATIENCE, this::call);

    private CompletableFuture<String> call() {
        CompletableFuture<String> call = new CompletableFuture<>();
        asked.add(call);
        return call;
    }

    @AfterEach
    void close() {
        runtime.close();
    }

    @Test
    void oneThatAnswersInTimeIsNotAskedTwice() {
        asked.get(0).complete("first");
        ticker.advance(PATIENCE);
        assertThat(answer).isCompletedWithValue("first");
        assertThat(asked).hasSize(1);
    }

    @Test
    void oneThatFailsIsNotAskedTwice() {
        asked.get(0).completeExceptionally(new IllegalStateException("fails on purpose"));
        ticker.advance(PATIENCE);
        assertThat(answer).isCompletedExceptionally();
        assertThat(asked).hasSize(1);
    }

    @Test
    void theFirstAnswerCountsWhoeverGivesIt() {
        ticker.advance(PATIENCE);
        assertThat(asked).hasSize(2);
        asked.get(1).complete("second");
        assertThat(answer).isCompletedWithValue("second");
    }

    @Test
    void oneFailureIsNoAnswerYet() {
        ticker.advance(PATIENCE);
        asked.get(0).completeExceptionally(new IllegalStateException("fails on purpose"));
        assertThat(answer).isNotDone();
        asked.get(1).complete("second");
        assertThat(answer).isCompletedWithValue("second");
    }

    @Test
    void twoFailuresAreOne() {
        ticker.advance(PATIENCE);
        asked.forEach(call -> call.completeExceptionally(new IllegalStateException("fails on purpose")));
        assertThat(answer).isCompletedExceptionally();
    }
}
