package io.distlock.engine.waiting;

import static io.distlock.engine.ManualEngine.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.test.provider.Fault;
import io.distlock.test.time.ManualTicker;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a failure says is what happened. */
@EndsInTime
class TrueMessagesTests {

    @Test
    void aProcessThatStoodStillDoesNotBlameTheStore() {
        ManualTicker timers = new ManualTicker();
        ManualEngine here = new ManualEngine(new ManualTicker(), timers);
        here.provider.onAcquire(Fault.SILENCE);
        CompletableFuture<HeldLock> asked = here.client.acquireAsync(here.request("a"));
        // No timer runs for a minute.
        here.advanceMillis(60_000);
        timers.advance(Duration.ofSeconds(60));
        assertThatThrownBy(asked::join)
                .hasCauseInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("this process was paused, or too busy to notice, for 53750 ms");
    }

    /** Whether the answer was late, or nobody read it, cannot be told. */
    @Test
    void aGrantThatIsReadTooLateBlamesNobody() {
        ManualEngine here = new ManualEngine(new ManualTicker(), new ManualTicker());
        here.provider.onAcquire(Fault.LATE);
        CompletableFuture<HeldLock> asked = here.client.acquireAsync(here.request("a"));
        here.advanceMillis(60_000);
        here.provider.deliver();
        assertThatThrownBy(asked::join)
                .hasMessageEndingWith("the grant arrived too late to be useful")
                .hasMessageNotContaining("store");
    }

    @Test
    void aLimitThatIsNoticedInTimeSaysNothingOfThat() {
        ManualEngine here = new ManualEngine();
        CompletableFuture<?> limited =
                here.runtime.timeouts().within(Duration.ofSeconds(1), new CompletableFuture<String>());
        here.advanceMillis(1_000);
        assertThatThrownBy(limited::join).rootCause().hasMessage("no answer within 1000 ms");
    }

    @Test
    void aLimitThatIsNoticedLateSaysSo() {
        ManualTicker timers = new ManualTicker();
        ManualEngine here = new ManualEngine(new ManualTicker(), timers);
        CompletableFuture<?> limited =
                here.runtime.timeouts().within(Duration.ofSeconds(1), new CompletableFuture<String>());
        here.advanceMillis(4_000);
        timers.advance(Duration.ofSeconds(4));
        assertThatThrownBy(limited::join)
                .rootCause()
                .hasMessage("no answer within 1000 ms; this process was paused, or too busy to notice, for 3000 ms");
    }

    /** A first call loads classes and connects, and may be at it when its wait time is over. */
    @Test
    void aFirstCallThatHasNotReachedTheStoreYetSpeaksOfNoOtherCallAndGetsItsAnswer() {
        assertThat(outcomeOfAFirstCall(new ManualEngine(), 5_100)).isInstanceOf(HeldLock.class);
    }

    @Test
    void aFirstCallThatIsLongInReachingTheStoreGetsItsAnswer() {
        assertThat(outcomeOfAFirstCall(new ManualEngine(), 60_000)).isInstanceOf(HeldLock.class);
    }

    /** The lock, or the failure, of a call that reaches the store only after a time. */
    private static Object outcomeOfAFirstCall(ManualEngine here, long millis) {
        CountDownLatch loaded = new CountDownLatch(1);
        LockClient cold = ManualEngine.client(slowToBegin(here.store, loaded), here.runtime);
        AtomicReference<Object> end = new AtomicReference<>();
        Thread caller = new Thread(() -> end.set(outcome(cold)));
        caller.start();
        await().until(() -> caller.getState() == Thread.State.WAITING);
        here.advanceMillis(millis);
        loaded.countDown();
        await().until(() -> end.get() != null);
        return end.get();
    }

    private static Object outcome(LockClient client) {
        try {
            return client.acquire(client.request("a"));
        } catch (LockException failure) {
            return failure;
        }
    }

    private static LockProvider slowToBegin(LockProvider behind, CountDownLatch loaded) {
        return proxy((method, args) -> {
            if (method.getName().equals("acquire")) {
                loaded.await();
            }
            return method.invoke(behind, args);
        });
    }

    private interface Answering {
        Object answer(Method method, Object[] args) throws Exception;
    }

    private static LockProvider proxy(Answering answering) {
        return (LockProvider) Proxy.newProxyInstance(
                TrueMessagesTests.class.getClassLoader(),
                new Class<?>[] {LockProvider.class},
                (proxy, method, args) -> answering.answer(method, args));
    }

    /** Its wait time is over when it may ask the provider, which then says after a while what is wrong. */
    @Test
    void aFirstCallThatCouldNotConnectSpeaksOfNoPause() {
        ManualEngine here = new ManualEngine();
        CompletableFuture<Boolean> connected = new CompletableFuture<>();
        CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
        LockClient client = ManualEngine.client(
                proxy((method, args) -> switch (method.getName()) {
                    case "connected" -> connected;
                    case "acquire" -> answer;
                    default -> method.invoke(here.store, args);
                }),
                here.runtime);
        CompletableFuture<HeldLock> asked = client.acquireAsync(client.request("a"));
        here.advanceMillis(9_900);
        connected.complete(false);
        here.advanceMillis(here.store.callTimeout().toMillis());
        answer.completeExceptionally(new IllegalStateException("nobody answers there"));
        assertThatThrownBy(asked::join)
                .hasMessageContaining("nobody answers there")
                .hasMessageNotContaining("paused");
    }

    @Test
    void whoeverWaitsBehindAnotherCallIsToldWhatThatOneHasHeard() {
        ManualEngine here = new ManualEngine();
        here.provider.onAcquire(Fault.SILENCE);
        here.start(here.request("a").withWaitTime(Duration.ofMinutes(1)));
        CompletableFuture<?> second = here.start(here.request("a"));
        here.advanceMillis(5_000);
        assertThatThrownBy(second::join).hasMessageContaining("an earlier call in this process has no answer yet");
    }

    @Test
    void aQuestionThatFailsSaysWhy() {
        ManualEngine here = new ManualEngine();
        here.hold("a");
        here.provider.onForceRelease(Fault.ERROR);
        assertThatThrownBy(() -> ManualEngine.client(here.provider, here.runtime)
                        .forceRelease(
                                LockKey.of("a"),
                                here.atStore("a")
                                        .orElseThrow()
                                        .holders()
                                        .get(0)
                                        .token()
                                        .orElseThrow()))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageEndingWith("call fails on purpose");
    }

    @Test
    void aSingleAttemptForManyKeysHasTheTimeOfACallForEachOfThem() {
        CompletableFuture<HeldLock> asked = twentyKeysAt300Millis(Duration.ZERO);
        assertThat(asked).isCompletedWithValueMatching(HeldLock::isHeld);
    }

    @Test
    void keysThatTakeLongerThanTheWaitTimeBlameNoStoreThatHasAnswered() {
        CompletableFuture<HeldLock> asked = twentyKeysAt300Millis(Duration.ofSeconds(1));
        assertThatThrownBy(asked::join)
                .hasCauseInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("the wait time was over before all 20 keys had been asked for")
                .hasMessageNotContaining("provider");
    }

    private static CompletableFuture<HeldLock> twentyKeysAt300Millis(Duration waitTime) {
        ManualEngine here = new ManualEngine();
        LockProvider slow = proxy((method, args) -> {
            if (!method.getName().equals("acquire")) {
                return method.invoke(here.store, args);
            }
            CompletableFuture<Void> arrived = new CompletableFuture<>();
            here.scheduler.schedule(() -> arrived.complete(null), Duration.ofMillis(300));
            return arrived.thenCompose(now -> here.store.acquire((LeaseRequest) args[0]));
        });
        LockClient client = ManualEngine.client(slow, here.runtime);
        List<LockKey> keys =
                IntStream.range(0, 20).mapToObj(i -> LockKey.of("many", "" + i)).toList();
        CompletableFuture<HeldLock> asked =
                client.acquireAsync(client.request(keys).withWaitTime(waitTime));
        here.advanceUntil(asked::isDone, Duration.ofSeconds(7));
        return asked;
    }
}
