package io.distlock.inmemory;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Locks inside this JVM with the semantics of a distributed store: first come first served for each key, time to live,
 * fencing tokens, shared mode, lock-delay and minimum hold time. For tests and development: it excludes nobody outside the
 * process. Uses the runtime's clock. Thread-safe: the monitor guards the keys; futures that others know complete under no
 * monitor.
 */
public final class InMemoryLockProvider implements LockProvider {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);

    private final LockRuntime runtime;
    private final Ticker ticker;
    /** In order of access: the least recently used keys come first. */
    private final Map<LockKey, KeyState> keys = new LinkedHashMap<>(16, 0.75f, true);

    private long lastToken;
    private boolean closed;

    /** A request that may join the queue of its key. */
    record Waiter(LeaseRequest request, CompletableFuture<Optional<Grant>> answer) {}

    /** The caller closes the runtime. */
    public InMemoryLockProvider(LockRuntime runtime) {
        this.runtime = runtime;
        this.ticker = runtime.ticker();
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
        Waiter waiter = new Waiter(request, new CompletableFuture<>());
        if (enter(waiter)) {
            request.listener().refused();
            Duration remaining = request.deadline().remaining();
            LockScheduler.Scheduled timer = runtime.scheduler().schedule(() -> timeOut(waiter), remaining);
            waiter.answer().whenComplete((grant, failure) -> {
                timer.cancel();
                leave(waiter);
            });
        }
        return waiter.answer();
    }

    /** True if it has to wait in the queue; else it is answered. */
    private synchronized boolean enter(Waiter waiter) {
        LeaseRequest request = waiter.request();
        if (closed) {
            waiter.answer().completeExceptionally(closed(request.key()));
            return false;
        }
        forgetVanished();
        KeyState state = keys.computeIfAbsent(request.key(), key -> new KeyState());
        state.dropExpired(ticker.nanos());
        Optional<KeyState.Holding> same = state.heldBy(request.owner());
        if (same.isPresent()) {
            same.get().extend(ticker.nanos(), request.timeToLive());
            waiter.answer().complete(Optional.of(new Grant(same.get().lease(), ticker.now())));
        } else if (state.admitsAtOnce(request)) {
            waiter.answer().complete(Optional.of(grant(state, request)));
        } else if (request.deadline().hasPassed()) {
            waiter.answer().complete(Optional.empty());
        } else {
            state.queue().add(waiter);
            awaitExpiry(request.key(), state);
            return true;
        }
        return false;
    }

    /** A vanished holder's key may never be asked for again, so each request checks the two oldest keys. */
    private void forgetVanished() {
        for (LockKey key : keys.keySet().stream().limit(2).toList()) {
            look(key, state -> Optional.empty());
        }
    }

    /** While a request waits, a timer runs until the next time to live may end. */
    private void awaitExpiry(LockKey key, KeyState state) {
        OptionalLong expiry = state.queue().isEmpty() ? OptionalLong.empty() : state.nextExpiry();
        LockScheduler.Scheduled timer = () -> {};
        if (expiry.isPresent()) {
            Duration left = Duration.ofNanos(Math.max(0, expiry.getAsLong() - ticker.nanos()));
            timer = runtime.scheduler().schedule(() -> admitNext(key), left);
        }
        state.replaceTimer(timer);
    }

    private Grant grant(KeyState state, LeaseRequest request) {
        Lease lease = state.hold(request, new FencingToken(++lastToken), ticker.nanos());
        return new Grant(lease, ticker.now());
    }

    private void timeOut(Waiter waiter) {
        leave(waiter);
        waiter.answer().complete(Optional.empty());
    }

    private void leave(Waiter waiter) {
        LockKey key = waiter.request().key();
        synchronized (this) {
            KeyState state = keys.get(key);
            if (state == null || !state.queue().remove(waiter)) {
                return;
            }
        }
        admitNext(key);
    }

    private void admitNext(LockKey key) {
        admit(key).forEach((waiter, grant) -> {
            if (!waiter.answer().complete(Optional.of(grant))) {
                releaseNow(grant.lease(), Duration.ZERO);
            }
        });
    }

    /** Grants the key to the waiters whose turn it is, and forgets it if unused. */
    private synchronized Map<Waiter, Grant> admit(LockKey key) {
        KeyState state = keys.get(key);
        if (state == null) {
            return Map.of();
        }
        state.dropExpired(ticker.nanos());
        // Usually there are no waiters.
        Map<Waiter, Grant> admitted = state.queue().isEmpty() ? Map.of() : new LinkedHashMap<>();
        for (Optional<Waiter> next = state.next(); next.isPresent(); next = state.next()) {
            state.queue().remove(next.get());
            admitted.put(next.get(), grant(state, next.get().request()));
        }
        awaitExpiry(key, state);
        if (state.isUnused()) {
            keys.remove(key);
        }
        return admitted;
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        leases.forEach(lease -> extend(lease, ((KeyState.InMemoryLease) lease).renewedTimeToLive(), answers));
    }

    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        answers.answer(lease, extend(lease, timeToLive) ? Renewal.RENEWED : Renewal.NOT_OWNER);
    }

    private synchronized boolean extend(Lease lease, Duration timeToLive) {
        Optional<KeyState.Holding> holding = look(lease.key(), state -> state.find(lease::equals));
        holding.ifPresent(found -> found.extend(ticker.nanos(), timeToLive));
        return holding.isPresent();
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return CompletableFuture.completedFuture(releaseNow(lease, keepFor));
    }

    private Release releaseNow(Lease lease, Duration keepFor) {
        synchronized (this) {
            if (look(lease.key(), state -> state.release(lease.owner(), ticker.nanos(), keepFor))
                    .isEmpty()) {
                return Release.NOT_OWNER;
            }
        }
        admitNext(lease.key());
        return Release.RELEASED;
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return CompletableFuture.completedFuture(find(sequencer.key(), sequencer.token())
                .filter(lease -> lease.mode() == sequencer.mode())
                .isPresent());
    }

    private synchronized Optional<Lease> find(LockKey key, FencingToken token) {
        return look(key, state -> state.find(lease -> lease.token().equals(token)))
                .map(KeyState.Holding::lease);
    }

    @Override
    public synchronized CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return CompletableFuture.completedFuture(look(key, state -> state.status(key, ticker.nanos())));
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return CompletableFuture.completedFuture(
                find(key, token).map(lease -> releaseNow(lease, Duration.ZERO)).orElse(Release.NOT_OWNER));
    }

    /** Called under the monitor. */
    private <T> Optional<T> look(LockKey key, Function<KeyState, Optional<T>> question) {
        KeyState state = keys.get(key);
        if (state == null) {
            return Optional.empty();
        }
        state.dropExpired(ticker.nanos());
        if (state.isUnused()) {
            keys.remove(key);
        }
        return question.apply(state);
    }

    @Override
    public synchronized CompletionStage<ProviderStatus> check() {
        ProviderStatus.State state = closed ? ProviderStatus.State.DOWN : ProviderStatus.State.UP;
        return CompletableFuture.completedFuture(new ProviderStatus(state, Map.of("keys", keys.size())));
    }

    @Override
    public void close() {
        List<Waiter> waiting = new ArrayList<>();
        synchronized (this) {
            closed = true;
            keys.forEach((key, state) -> {
                waiting.addAll(state.queue());
                state.queue().clear();
                awaitExpiry(key, state);
            });
        }
        waiting.forEach(waiter ->
                waiter.answer().completeExceptionally(closed(waiter.request().key())));
    }

    private static LockUnavailableException closed(LockKey key) {
        return new LockUnavailableException(key, Duration.ZERO, "the provider is closed", null);
    }
}
