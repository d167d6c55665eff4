package io.distlock.engine;

import static io.distlock.engine.ManualEngine.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.spi.LockProvider;
import io.distlock.test.provider.Fault;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a client that is closed waits for: the connections, and what hears of losses, may be closed next. */
@EndsInTime
class OpenWorkTests {

    private final ManualEngine here = new ManualEngine();

    /** The connections are closed next, which would cut it off. */
    @Test
    void theLastReleaseIsWaitedForThoughOthersHaveEndedBefore() {
        HeldLock first = here.hold("a");
        HeldLock last = here.hold("b");
        CompletableFuture<Void> drained = here.openWork();
        first.release();
        here.provider.onRelease(Fault.LATE);
        last.releaseAsync();
        assertThat(drained).isNotDone();
        here.provider.deliver();
        assertThat(drained).isDone();
    }

    /** The provider is closed next. */
    @Test
    void aClientThatIsClosedWaitsForReleasesThatAreOnTheirWay() throws InterruptedException {
        AtomicBoolean delivered = new AtomicBoolean();
        AtomicBoolean waited = new AtomicBoolean();
        DefaultLockClient client = ManualEngine.client(
                ManualEngine.context(slow(() -> null), here.runtime, Runnable::run, () -> waited.set(delivered.get())));
        HeldLock held = client.acquire(here.now("a"));
        here.provider.onRelease(Fault.LATE);
        held.releaseAsync();
        Thread closing = new Thread(client::close);
        closing.start();
        await().until(() -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
        delivered.set(true);
        here.provider.deliver();
        closing.join();
        assertThat(waited).isTrue();
    }

    /** Whoever closes it may next end what hears of the losses. */
    @Test
    void aClientThatIsClosedWaitsForTheNewsOfLosses() throws InterruptedException {
        Queue<Runnable> news = new ConcurrentLinkedQueue<>();
        List<LockEvent> heard = new CopyOnWriteArrayList<>();
        var callbacks = new CallbackExecutor(Runnable::run, news::add, () -> {});
        DefaultLockClient client =
                ManualEngine.client(new ClientContext(slow(() -> null), here.runtime, callbacks, ""));
        client.acquire(here.now("a"));
        client.addListener(heard::add);
        Thread closing = new Thread(client::close);
        closing.start();
        await().until(() -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
        assertThat(closing.isAlive()).isTrue();
        while (!news.isEmpty()) {
            news.remove().run();
        }
        closing.join();
        assertThat(heard).singleElement().isInstanceOf(LockEvent.Lost.class);
    }

    /** Otherwise, closing does not wait for the news that a thread is about to announce. */
    @Test
    void aLossIsAnnouncedBeforeTheClientNoLongerWaitsForItsLock() {
        for (boolean atRelease : new boolean[] {false, true}) {
            ClientContext context = ManualEngine.context(here.provider, here.runtime, Runnable::run, () -> {});
            DefaultLockClient client = ManualEngine.client(context);
            HeldLock held = client.acquire(here.now("a"));
            List<String> order = new ArrayList<>();
            client.addListener(event -> order.add(event.getClass().getSimpleName()));
            context.openWork().drained().thenRun(() -> order.add("drained"));
            (atRelease ? here.other : client).forceRelease(LockKey.of("a"), held.fencingToken());
            assertThat(held.release()).isEqualTo(Release.NOT_OWNER);
            assertThat(order).containsExactly("Lost", "drained");
        }
    }

    /** The store has granted the lock, but the thread that asked does not know it yet. */
    @Test
    void aClientThatIsClosedWaitsForGrantsThatNobodyHasSeenYet() throws InterruptedException {
        CountDownLatch granted = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean left = new AtomicBoolean();
        LockProvider stalled = slow(() -> {
            granted.countDown();
            goOn.await();
            return null;
        });
        DefaultLockClient client = ManualEngine.client(
                ManualEngine.context(stalled, here.runtime, Runnable::run, () -> left.set(!here.isFree("a"))));
        CompletableFuture<Void> asking = CompletableFuture.runAsync(() -> client.acquireAsync(here.now("a")));
        granted.await();
        Thread closing = new Thread(client::close);
        closing.start();
        await().until(() -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
        goOn.countDown();
        closing.join();
        asking.join();
        assertThat(left).isFalse();
    }

    /** The answer has left nothing at the store to wait for. */
    @Test
    void aListenerMayCloseTheClientThatHasNotGotItsLock() {
        here.other.acquire(here.now("a"));
        AtomicBoolean closed = new AtomicBoolean();
        DefaultLockClient client = ManualEngine.client(
                ManualEngine.context(slow(() -> null), here.runtime, Runnable::run, () -> closed.set(true)));
        client.addListener(event -> client.close());
        assertThat(client.tryAcquire(here.now("a"))).isEmpty();
        assertThat(closed).isTrue();
    }

    @Test
    void aProviderThatAnswersNothingIsAnError() {
        assertBroken(null);
        assertBroken(CompletableFuture.completedFuture(null));
    }

    private void assertBroken(@Nullable Object answer) {
        LockProvider broken = (LockProvider) Proxy.newProxyInstance(
                OpenWorkTests.class.getClassLoader(),
                new Class<?>[] {LockProvider.class},
                (proxy, method, args) ->
                        method.getName().equals("acquire") ? answer : method.invoke(here.provider, args));
        ClientContext context = ManualEngine.context(broken, here.runtime, Runnable::run, () -> {});
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> ManualEngine.client(context).acquire(here.now("a")));
        assertThat(context.openWork().drained()).isDone();
    }

    /** One whose calls may take a day. The thread that has asked for a lock runs the action before it sees the answer. */
    private LockProvider slow(Callable<Void> afterAsking) {
        return (LockProvider) Proxy.newProxyInstance(
                OpenWorkTests.class.getClassLoader(), new Class<?>[] {LockProvider.class}, (proxy, method, args) -> {
                    if (method.getName().equals("callTimeout")) {
                        return Duration.ofDays(1);
                    }
                    Object answer = method.invoke(here.provider, args);
                    if (method.getName().equals("acquire")) {
                        afterAsking.call();
                    }
                    return answer;
                });
    }
}
