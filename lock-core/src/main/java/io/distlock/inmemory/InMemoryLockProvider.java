package io.distlock.inmemory;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
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
import io.distlock.spi.RenewalAnswers;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Locks inside this JVM with the semantics of a distributed store: first come first served for each key, time to
 * live, fencing tokens, shared mode, lock-delay and minimum hold time. For tests and development: it excludes
 * nobody outside the process. Time is the runtime's clock. Thread-safe.
 */
public final class InMemoryLockProvider implements LockProvider {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);

    private final LockRuntime runtime;
    /** In order of access: what nobody has asked about for longest comes first. */
    private final Map<LockKey, KeyState> keys = new LinkedHashMap<>(16, 0.75f, true);

    private long lastToken;
    private boolean closed;

    /** The runtime stays the caller's. */
    public InMemoryLockProvider(LockRuntime runtime) {
        this.runtime = runtime;
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
        Waiter waiter = new Waiter(request, this::leave);
        boolean queued = false;
        Optional<Grant> grant = Optional.empty();
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(closed(request.key()));
            }
            forgetVanished();
            KeyState state = keys.computeIfAbsent(request.key(), key -> new KeyState());
            state.dropExpired(now());
            Optional<Holding> same = state.heldBy(request.owner());
            if (same.isPresent()) {
                same.get().extend(now(), request.timeToLive());
                grant = Optional.of(
                        new Grant(same.get().lease(), runtime.ticker().now()));
            } else if (state.admitsAtOnce(request)) {
                grant = Optional.of(grant(state, request));
            } else if (!request.deadline().hasPassed()) {
                state.queue().add(waiter);
                queued = true;
            }
        }
        if (queued) {
            request.progress().refused();
            waiter.endBy(runtime.scheduler()
                    .schedule(() -> timeOut(waiter), request.deadline().remaining()));
            awaitExpiry(request.key());
        } else {
            waiter.complete(grant);
        }
        return waiter;
    }

    /** Of a holder that vanished nobody may ever ask again: so each request looks at two keys that may be such. */
    private void forgetVanished() {
        for (LockKey key : keys.keySet().stream().limit(2).toList()) {
            KeyState state = keys.get(key);
            if (state != null) {
                state.dropExpired(now());
                if (state.isUnused()) {
                    keys.remove(key);
                }
            }
        }
    }

    private Grant grant(KeyState state, LeaseRequest request) {
        InMemoryLease lease = new InMemoryLease(
                request.key(),
                request.mode(),
                request.owner(),
                new FencingToken(++lastToken),
                request.renewedTimeToLive());
        state.holdings().add(new Holding(lease, now() + request.timeToLive().toNanos()));
        return new Grant(lease, runtime.ticker().now());
    }

    private void timeOut(Waiter waiter) {
        leave(waiter);
        waiter.complete(Optional.empty());
    }

    private void leave(Waiter waiter) {
        waiter.stopTimer();
        LockKey key = waiter.request().key();
        synchronized (this) {
            KeyState state = keys.get(key);
            if (state == null || !state.queue().remove(waiter)) {
                return;
            }
        }
        admitNext(key);
    }

    /** Lets in whoever's turn it is, and forgets the key if nobody is left. */
    private void admitNext(LockKey key) {
        Map<Waiter, Grant> admitted = new HashMap<>();
        synchronized (this) {
            KeyState state = keys.get(key);
            if (state == null) {
                return;
            }
            state.dropExpired(now());
            for (Optional<Waiter> next = state.next(); next.isPresent(); next = state.next()) {
                state.queue().remove(next.get());
                admitted.put(next.get(), grant(state, next.get().request()));
            }
            if (state.isUnused()) {
                keys.remove(key);
            }
        }
        admitted.forEach(this::deliver);
    }

    private void deliver(Waiter waiter, Grant grant) {
        waiter.stopTimer();
        if (!waiter.complete(Optional.of(grant))) {
            releaseNow(grant.lease(), Duration.ZERO);
        }
    }

    /** While somebody waits, a timer stands at the next time to live that may run out. */
    private synchronized void awaitExpiry(LockKey key) {
        KeyState state = keys.get(key);
        if (state == null || state.queue().isEmpty()) {
            return;
        }
        state.nextExpiry().ifPresent(at -> {
            Duration delay = Duration.ofNanos(Math.max(0, at - now()));
            state.replaceTimer(runtime.scheduler().schedule(() -> expire(key), delay));
        });
    }

    private void expire(LockKey key) {
        admitNext(key);
        awaitExpiry(key);
    }

    @Override
    public void renew(Collection<Lease> leases, RenewalAnswers answers) {
        for (Lease lease : leases) {
            answers.answer(lease, renew((InMemoryLease) lease));
        }
    }

    private synchronized Renewal renew(InMemoryLease lease) {
        Optional<Holding> holding = find(lease);
        holding.ifPresent(found -> found.extend(now(), lease.renewedTimeToLive()));
        return holding.isPresent() ? Renewal.RENEWED : Renewal.NOT_OWNER;
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return CompletableFuture.completedFuture(releaseNow(lease, keepFor));
    }

    private Release releaseNow(Lease lease, Duration keepFor) {
        synchronized (this) {
            if (look(lease.key(), state -> giveBack(state, lease, keepFor)).isEmpty()) {
                return Release.NOT_OWNER;
            }
        }
        admitNext(lease.key());
        // A kept key may run out earlier than the timer of those who wait for it says.
        awaitExpiry(lease.key());
        return Release.RELEASED;
    }

    private Optional<Holding> giveBack(KeyState state, Lease lease, Duration keepFor) {
        Optional<Holding> holding = state.heldBy(lease.owner());
        holding.ifPresent(found -> {
            if (keepFor.compareTo(Duration.ZERO) > 0) {
                found.keep(now(), keepFor);
            } else {
                state.holdings().remove(found);
            }
        });
        return holding;
    }

    private Optional<Holding> find(Lease lease) {
        return look(lease.key(), state -> state.heldBy(lease.owner()));
    }

    private <T> Optional<T> look(LockKey key, Function<KeyState, Optional<T>> question) {
        KeyState state = keys.get(key);
        if (state == null) {
            return Optional.empty();
        }
        state.dropExpired(now());
        return question.apply(state);
    }

    @Override
    public synchronized CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        boolean current = look(
                        sequencer.key(),
                        state -> state.holdings().stream()
                                .filter(holding -> !holding.isKept())
                                .map(Holding::lease)
                                .filter(lease ->
                                        lease.token().equals(sequencer.token()) && lease.mode() == sequencer.mode())
                                .findFirst())
                .isPresent();
        return CompletableFuture.completedFuture(current);
    }

    @Override
    public synchronized CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return CompletableFuture.completedFuture(look(
                key,
                state -> state.holdings().isEmpty()
                        ? Optional.empty()
                        : Optional.of(new LockStatus(
                                key,
                                state.isShared() ? LockMode.SHARED : LockMode.EXCLUSIVE,
                                state.holdings().stream().map(this::describe).toList(),
                                Optional.of(state.queue().size())))));
    }

    private LockStatus.Holder describe(Holding holding) {
        InMemoryLease lease = holding.lease();
        return new LockStatus.Holder(
                lease.owner(),
                Optional.of(lease.token()),
                Optional.of(Duration.ofNanos(Math.max(0, holding.expiresAt() - now()))));
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        Optional<Holding> holding;
        synchronized (this) {
            holding = look(
                    key,
                    state -> state.holdings().stream()
                            .filter(each ->
                                    !each.isKept() && each.lease().token().equals(token))
                            .findFirst());
        }
        return CompletableFuture.completedFuture(
                holding.map(found -> releaseNow(found.lease(), Duration.ZERO)).orElse(Release.NOT_OWNER));
    }

    @Override
    public synchronized CompletionStage<ProviderStatus> check() {
        return CompletableFuture.completedFuture(new ProviderStatus(
                closed ? ProviderStatus.State.DOWN : ProviderStatus.State.UP, Map.of("keys", keys.size())));
    }

    @Override
    public void close() {
        List<Waiter> waiting = new ArrayList<>();
        synchronized (this) {
            closed = true;
            keys.values().forEach(state -> {
                waiting.addAll(state.queue());
                state.queue().clear();
            });
        }
        for (Waiter waiter : waiting) {
            waiter.stopTimer();
            waiter.completeExceptionally(closed(waiter.request().key()));
        }
    }

    private static LockUnavailableException closed(LockKey key) {
        return new LockUnavailableException(key, Duration.ZERO, "the provider is closed", null);
    }

    private long now() {
        return runtime.ticker().nanos();
    }
}
