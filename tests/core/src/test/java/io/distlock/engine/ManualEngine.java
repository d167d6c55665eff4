package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Lease;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * A client on a clock that stands still, before a store that misbehaves when told to, and a client of another process
 * on the same store. Callbacks run where they arise: nothing happens but by the test's hand.
 */
public final class ManualEngine {

    public final ManualTicker ticker;
    public final ManualScheduler scheduler;
    public final LockRuntime runtime;
    public final InMemoryLockProvider store;
    public final FaultyLockProvider provider;
    final ClientContext context;
    public final LockClient client;
    public final LockClient other;
    public final Queue<LockEvent> events = new ConcurrentLinkedQueue<>();

    public ManualEngine() {
        this(new ManualTicker());
    }

    private ManualEngine(ManualTicker ticker) {
        this(ticker, ticker);
    }

    /** With timers on a clock of their own: {@code ticker} passes without any of them running. */
    public ManualEngine(ManualTicker ticker, ManualTicker timers) {
        this.ticker = ticker;
        this.scheduler = new ManualScheduler(timers);
        this.runtime = new LockRuntime(ticker, scheduler);
        this.store = new InMemoryLockProvider(runtime);
        this.provider = new FaultyLockProvider(store);
        this.context = context(provider, runtime, Runnable::run, () -> {});
        this.client = client(context);
        this.other = client(store, runtime);
        client.addListener(events::add);
    }

    /** All foreign code, losses included, runs on the executor. */
    static ClientContext context(LockProvider provider, LockRuntime runtime, Executor callbacks, Runnable whenClosed) {
        return new ClientContext(provider, runtime, new CallbackExecutor(callbacks, callbacks, whenClosed), "");
    }

    /** A client with the default options, which does not wait for holders when it is closed. */
    static DefaultLockClient client(ClientContext context) {
        return new DefaultLockClient(context, LockOptions.defaults(), Duration.ZERO);
    }

    /** The same, with foreign code on the executor. */
    public static LockClient client(LockProvider provider, LockRuntime runtime, Executor callbacks) {
        return client(context(provider, runtime, callbacks, () -> {}));
    }

    /** The same, with foreign code on the thread where it arises. */
    public static LockClient client(LockProvider provider, LockRuntime runtime) {
        return client(provider, runtime, Runnable::run);
    }

    /** Lease 30 s, so valid for 29,698 ms; waits for 5 s. */
    public LockRequest request(String name) {
        return client.request(name);
    }

    public LockRequest now(String name) {
        return request(name).withWaitTime(Duration.ZERO);
    }

    public HeldLock hold(String name) {
        return client.acquire(now(name));
    }

    public CompletableFuture<Optional<HeldLock>> start(LockRequest request) {
        return client.tryAcquireAsync(request);
    }

    public void advanceMillis(long millis) {
        ticker.advance(Duration.ofMillis(millis));
    }

    /** Goes on a millisecond at a time; the time that has passed. */
    public long advanceUntil(BooleanSupplier condition, Duration atMost) {
        long millis = 0;
        while (!condition.getAsBoolean()) {
            assertThat(millis).as("waited in vain").isLessThan(atMost.toMillis());
            advanceMillis(1);
            millis++;
        }
        return millis;
    }

    public Optional<LockStatus> atStore(String name) {
        return store.inspect(LockKey.of(name)).toCompletableFuture().join();
    }

    public boolean isFree(String name) {
        return atStore(name).isEmpty();
    }

    /** How many wait at the store for a key that is held. */
    public int waitersAtStore(String name) {
        return atStore(name).orElseThrow().waiters().orElseThrow();
    }

    /** For how long it keeps a key for the only holder. */
    public Duration remainingAtStore(String name) {
        return atStore(name).orElseThrow().holders().get(0).remaining().orElseThrow();
    }

    /** Deletes the key at the store, as a person may by hand. */
    public void deleteByHand(String name) {
        for (LockStatus.Holder holder : atStore(name).orElseThrow().holders()) {
            store.release(
                    new Entry(LockKey.of(name), holder.owner(), holder.token().orElseThrow()), Duration.ZERO);
        }
    }

    private record Entry(LockKey key, String owner, FencingToken token) implements Lease {

        @Override
        public LockMode mode() {
            return LockMode.EXCLUSIVE;
        }
    }

    /** How many keys have a queue here. */
    public int queues() {
        return context.queues().size();
    }

    /** How many locks are watched here. */
    public int watched() {
        return context.watchdog().held().size();
    }

    /** Neither here nor at the store is anything left of the key: no place in a queue, no lock, no open question. */
    public void assertNothingLeft(String name) {
        assertThat(client.waiting()).as("pending").isEmpty();
        assertThat(queues()).as("queues").isZero();
        assertThat(watched()).as("held").isZero();
        assertThat(runtime.reaper().pending()).as("reaper").isZero();
        assertThat(atStore(name)).as("at the store").isEmpty();
    }

    /** Done when nothing is under way that closing the client would wait for. */
    public CompletableFuture<Void> openWork() {
        return context.openWork().drained();
    }

    /** For what another thread of the test does. */
    public static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(5));
    }

    public <T extends LockEvent> List<T> events(Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    public List<String> eventNames() {
        return events.stream().map(event -> event.getClass().getSimpleName()).toList();
    }
}
