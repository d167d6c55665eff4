package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.WaiterInfo;
import io.distlock.spi.Grant;
import io.distlock.spi.LockProvider;
import io.distlock.test.provider.Fault;
import io.distlock.test.time.ManualTicker;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** From when the times of an acquisition count, and what it does in the instant when one of them is over. */
@EndsInTime
class AcquisitionTimesTests {

    private final ManualEngine here = new ManualEngine();

    private final CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
    private CompletableFuture<Boolean> connected = CompletableFuture.completedFuture(true);
    private Runnable onAsked = () -> {};

    /** Answers an acquisition when the test does. */
    private LockProvider scripted() {
        return (LockProvider) Proxy.newProxyInstance(
                AcquisitionTimesTests.class.getClassLoader(),
                new Class<?>[] {LockProvider.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "acquire" -> {
                        onAsked.run();
                        yield answer;
                    }
                    case "connected" -> connected;
                    default -> method.invoke(here.store, args);
                });
    }

    @Test
    void theWaitTimeCountsFromTheCallHoweverLongTheClientHasBeenConnected() {
        here.other.acquire(here.now("a"));
        here.advanceMillis(20_000);
        var asked = here.start(here.request("a"));
        here.advanceMillis(4_999);
        assertThat(asked).isNotDone();
        here.advanceMillis(1);
        assertThat(asked).isCompletedWithValue(Optional.empty());
    }

    @Test
    void aConnectionThatFailsDoesNotBeginTheWaitTimeAgain() {
        connected = new CompletableFuture<>();
        var asked = ManualEngine.client(scripted(), here.runtime).tryAcquireAsync(here.request("a"));
        here.advanceMillis(3_000);
        connected.complete(false);
        here.advanceMillis(3_249);
        assertThat(asked).isNotDone();
        here.advanceMillis(1);
        assertThatThrownBy(asked::join).hasCauseInstanceOf(LockUnavailableException.class);
    }

    @Test
    void whatTheProviderNeedsBeforeItReturnsIsNotTakenFromTheTimeForItsAnswer() {
        onAsked = () -> here.advanceMillis(60_000);
        var asked = ManualEngine.client(scripted(), here.runtime).tryAcquireAsync(here.request("a"));
        here.advanceMillis(6_000);
        assertThat(asked).isNotDone();
        here.advanceMillis(250);
        assertThatThrownBy(asked::join).hasMessageContaining("did not answer in time");
    }

    /** Its timer is late, as on a busy machine. */
    @Test
    void aCallWhoseTurnComesAfterItsDeadlineDoesNotAskTheStore() {
        ManualTicker ticker = new ManualTicker();
        ManualEngine busy = new ManualEngine(ticker, new ManualTicker());
        HeldLock held = busy.client.acquire(busy.now("a").withRenew(false).withLeaseTime(Duration.ofMinutes(5)));
        var asked = busy.start(busy.request("a"));
        busy.advanceMillis(6_000);
        held.release();
        assertThat(asked).isCompletedWithValue(Optional.empty());
        assertThat(busy.provider.acquires()).isEqualTo(1);
    }

    @Test
    void aCallThatIsOverdueBeforeItBeginsLeavesNothing() {
        PendingAcquisitions pending = new PendingAcquisitions(here.context);
        KeyAcquisition late =
                new KeyAcquisition(pending, LockKey.of("a"), here.request("a"), here.ticker.nanos(), Asker.current());
        here.advanceMillis(5_000);
        late.overdue();
        assertThat(late).isDone();
        late.start();
        here.assertNothingLeft("a");
    }

    @Test
    void aCallThatIsCancelledWhileTheProviderIsAskedDoesNotWaitAtTheStore() {
        ClientContext context = ManualEngine.context(scripted(), here.runtime, Runnable::run, () -> {});
        KeyAcquisition asking = new KeyAcquisition(
                new PendingAcquisitions(context),
                LockKey.of("a"),
                here.request("a"),
                here.ticker.nanos(),
                Asker.current());
        onAsked = () -> asking.cancel(true);
        asking.start();
        assertThat(answer).isCancelled();
    }

    @Test
    void whatIsKnownOfACallForSeveralKeysIsOfTheOneItWaitsFor() {
        HeldLock first = here.other.acquire(here.now("a"));
        here.other.acquire(here.now("b"));
        here.start(here.client.request(List.of(LockKey.of("a"), LockKey.of("b"))));
        here.advanceMillis(3_000);
        first.release();
        here.advanceMillis(500);
        WaiterInfo waiter = here.client.waiting().findFirst().orElseThrow();
        assertThat(waiter.key()).isEqualTo(LockKey.of("b"));
        assertThat(waiter.waited()).isEqualTo(Duration.ofMillis(500));
        assertThat(waiter.remaining()).isEqualTo(Duration.ofMillis(1_500));
        assertThat(waiter.since()).isEqualTo(Instant.ofEpochMilli(here.ticker.wallMillis() - 500));
    }

    @Test
    void aCallInTheQueueIsToldWhyTheOneBeforeItFailed() {
        here.provider.onAcquire(Fault.SILENCE);
        here.start(here.request("a"));
        here.start(here.request("a").withWaitTime(Duration.ofMinutes(1)));
        var third = here.start(here.request("a").withWaitTime(Duration.ofSeconds(7)));
        here.advanceMillis(7_000);
        assertThatThrownBy(third::join)
                .hasMessageContaining("an earlier call in this process has no answer yet: lock 'a' is unavailable")
                .rootCause()
                .hasMessageContaining("did not answer in time");
    }

    // --- grants that arrive too late ---

    private CompletableFuture<?> stale(LockRequest request) {
        here.provider.onAcquire(Fault.LATE);
        var asked = here.start(request.withWaitTime(Duration.ZERO).withLeaseTime(Duration.ofSeconds(1)));
        here.advanceMillis(989);
        here.provider.deliver();
        return asked;
    }

    @Test
    void aGrantThatArrivesTooLateIsNotKeptForTheMinimumHoldTime() {
        assertThat(stale(here.request("a").withMinHoldTime(Duration.ofMinutes(1))))
                .isCompletedExceptionally();
        here.assertNothingLeft("a");
        assertThat(here.openWork()).isDone();
    }

    @Test
    void aGrantThatArrivesTooLateIsFollowedUpForAsLongAsTheStoreKeepsIt() {
        here.provider.onRelease(Fault.SILENCE);
        stale(here.request("a").withLockDelay(Duration.ofMinutes(1)));
        here.advanceMillis(50_000);
        assertThat(here.runtime.reaper().pending()).isOne();
        here.advanceMillis(20_000);
        here.assertNothingLeft("a");
    }
}
