package io.distlock.inmemory;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.inmemory.KeyState.Holding;
import io.distlock.inmemory.KeyState.InMemoryLease;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import io.distlock.support.AcquireLoop;
import io.distlock.support.LockRuntime;
import io.distlock.support.TryLockStore;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks inside this JVM with the semantics of a distributed store: first come first served for each key, time to live,
 * fencing tokens, shared mode, lock-delay and minimum hold time. For tests and development: it excludes nobody outside the
 * process. Uses the runtime's clock. Calls that arrive at the same time may queue in either order. Thread-safe: the monitor
 * guards the keys; waiters are woken under no monitor.
 */
public final class InMemoryLockProvider implements LockProvider {

    private static final Logger log = LoggerFactory.getLogger(InMemoryLockProvider.class);

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);

    private final Ticker ticker;
    private final AcquireLoop loop;
    /** In order of access: the least recently used keys come first. */
    private final Map<LockKey, KeyState> keys = new LinkedHashMap<>(16, 0.75f, true);

    private long lastToken;
    private volatile boolean closed;

    /** The caller closes the runtime. */
    public InMemoryLockProvider(LockRuntime runtime) {
        this.ticker = runtime.ticker();
        this.loop = new AcquireLoop(runtime, Contender::new, CALL_TIMEOUT);
    }

    /** One acquisition, which keeps its place in the queue between its tries. */
    private final class Contender implements TryLockStore {

        private final LeaseRequest request;

        Contender(LeaseRequest request) {
            this.request = request;
        }

        @Override
        public CompletionStage<Result> attempt(LeaseRequest same, boolean again) {
            return CompletableFuture.completedFuture(tryOnce(this));
        }

        @Override
        public CompletionStage<Release> withdraw(LeaseRequest same) {
            return CompletableFuture.completedFuture(release(request.key(), request.owner(), Duration.ZERO));
        }

        @Override
        public boolean notesWaiters() {
            return false;
        }

        @Override
        public CompletionStage<Subscription> subscribe(LockKey key, Runnable wake) {
            enqueue(this, wake);
            return CompletableFuture.completedFuture(() -> leave(key, this));
        }
    }

    @Override
    public String name() {
        return "in-memory";
    }

    @Override
    public Duration callTimeout() {
        return CALL_TIMEOUT;
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        return loop.acquire(request);
    }

    private synchronized TryLockStore.Result tryOnce(Contender contender) {
        // A vanished holder's key may never be asked for again, so each request checks the two oldest keys.
        keys.keySet().stream().limit(2).toList().forEach(this::look);
        LeaseRequest request = contender.request;
        KeyState state = look(request.key()).orElseGet(KeyState::new);
        Optional<Holding> same = state.find(lease -> lease.owner().equals(request.owner()));
        if (same.isEmpty() && !state.admits(contender, request.mode())) {
            return new TryLockStore.Result.Refused(
                    state.holdings.stream().map(this::left).min(Duration::compareTo));
        }
        state.queue.remove(contender);
        Holding holding = same.orElseGet(() -> grant(request, state));
        extend(holding, request.timeToLive());
        return new TryLockStore.Result.Granted(new Grant(holding.lease, ticker.now()));
    }

    private Holding grant(LeaseRequest request, KeyState state) {
        FencingToken token = new FencingToken(++lastToken);
        Duration renewed = request.renewedTimeToLive();
        Holding holding = new Holding(
                new InMemoryLease(request.key(), request.mode(), request.owner(), token, renewed), ticker.nanos());
        state.holdings.add(holding);
        keys.put(request.key(), state);
        return holding;
    }

    private Duration left(Holding holding) {
        return Duration.ofNanos(Math.max(0, holding.expiresAt - ticker.nanos()));
    }

    private synchronized void enqueue(Contender contender, Runnable wake) {
        keys.computeIfAbsent(contender.request.key(), key -> new KeyState())
                .queue
                .put(contender, wake);
    }

    private void leave(LockKey key, TryLockStore waiter) {
        synchronized (this) {
            look(key).ifPresent(state -> state.queue.remove(waiter));
        }
        wakeNext(key);
    }

    /**
     * Wakes the first waiter, whoever it is: it takes the key, or parks until the key is due to be free as things are now.
     * One that takes the key leaves the queue, which wakes the next: iterative, or a long queue would overflow the stack.
     */
    private void wakeNext(LockKey key) {
        for (var next = toWake(key, true); next.isPresent(); next = toWake(key, false)) {
            try {
                next.get().getValue().run();
            } catch (RuntimeException | Error failure) {
                log.error("Waking a waiter for '{}' failed", key, failure);
                // Otherwise nobody behind it would get the key.
                leave(key, next.get().getKey());
            }
        }
    }

    private synchronized Optional<Map.Entry<TryLockStore, Runnable>> toWake(LockKey key, boolean changed) {
        var next = look(key).flatMap(state -> state.toWake(changed));
        look(key);
        return next;
    }

    /** The key's state without what has expired, unless it is unused. Called under the monitor. */
    private Optional<KeyState> look(LockKey key) {
        KeyState state = keys.get(key);
        if (state == null) {
            return Optional.empty();
        }
        state.holdings.removeIf(holding -> ticker.nanos() - holding.expiresAt >= 0);
        if (state.isUnused()) {
            keys.remove(key);
            return Optional.empty();
        }
        return Optional.of(state);
    }

    private synchronized Optional<Holding> find(LockKey key, Predicate<Lease> wanted) {
        return look(key).flatMap(state -> state.find(wanted));
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        leases.forEach(lease -> extend(lease, ((InMemoryLease) lease).renewedTimeToLive(), answers));
    }

    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        Optional<Holding> holding;
        synchronized (this) {
            holding = find(lease.key(), lease::equals);
            holding.ifPresent(found -> extend(found, timeToLive));
        }
        answers.answer(lease, holding.isPresent() ? Renewal.RENEWED : Renewal.NOT_OWNER);
    }

    /** Never shortens the remaining time. Called under the monitor. */
    private void extend(Holding holding, Duration timeToLive) {
        holding.expiresAt = Math.max(holding.expiresAt, ticker.nanos() + timeToLive.toNanos());
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return CompletableFuture.completedFuture(release(lease.key(), lease.owner(), keepFor));
    }

    private Release release(LockKey key, String owner, Duration keepFor) {
        synchronized (this) {
            Optional<Holding> holding = find(key, lease -> lease.owner().equals(owner));
            if (holding.isEmpty()) {
                return Release.NOT_OWNER;
            }
            holding.get().kept = true;
            holding.get().expiresAt = ticker.nanos() + Math.max(0, keepFor.toNanos());
        }
        wakeNext(key);
        return Release.RELEASED;
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        var holding = find(sequencer.key(), lease -> lease.token().equals(sequencer.token()));
        return CompletableFuture.completedFuture(
                holding.filter(found -> found.lease.mode() == sequencer.mode()).isPresent());
    }

    @Override
    public synchronized CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return CompletableFuture.completedFuture(look(key)
                .filter(state -> !state.holdings.isEmpty())
                .map(state -> new LockStatus(
                        key,
                        state.isShared() ? LockMode.SHARED : LockMode.EXCLUSIVE,
                        state.holdings.stream().map(this::describe).toList(),
                        Optional.of(state.queue.size()))));
    }

    private LockStatus.Holder describe(Holding holding) {
        return new LockStatus.Holder(
                holding.lease.owner(), Optional.of(holding.lease.token()), Optional.of(left(holding)));
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return CompletableFuture.completedFuture(
                find(key, lease -> lease.token().equals(token))
                        .map(holding -> release(key, holding.lease.owner(), Duration.ZERO))
                        .orElse(Release.NOT_OWNER));
    }

    @Override
    public synchronized CompletionStage<ProviderStatus> check() {
        var state = closed ? ProviderStatus.State.DOWN : ProviderStatus.State.UP;
        return CompletableFuture.completedFuture(new ProviderStatus(state, Map.of("keys", keys.size())));
    }

    @Override
    public void close() {
        closed = true;
        loop.close();
    }
}
