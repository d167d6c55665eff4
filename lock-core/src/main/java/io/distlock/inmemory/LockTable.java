package io.distlock.inmemory;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Ticker;
import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The holders and waiters of all keys. Each call is atomic, as in a store: this object's monitor guards it. No future
 * completes under the monitor; only the clock and the timers are called, which never call back at once.
 */
final class LockTable {

    private final Ticker ticker;
    private final BiFunction<LockKey, Duration, LockScheduler.Scheduled> expiryTimer;
    /** In order of access: the least recently used keys come first. */
    private final Map<LockKey, KeyState> keys = new LinkedHashMap<>(16, 0.75f, true);

    private long lastToken;
    private boolean closed;

    /** The outcome of entering: the request is queued, granted, or refused. */
    record Arrival(boolean isQueued, Optional<Grant> grant) {}

    /** A request that may join the queue of its key. */
    record Waiter(LeaseRequest request, CompletableFuture<Optional<Grant>> answer) {}

    /**
     * @param expiryTimer sets a timer for a key
     */
    LockTable(Ticker ticker, BiFunction<LockKey, Duration, LockScheduler.Scheduled> expiryTimer) {
        this.ticker = ticker;
        this.expiryTimer = expiryTimer;
    }

    /**
     * Grants the request if possible; otherwise the waiter joins the queue, unless its deadline has passed.
     *
     * @throws LockUnavailableException after close
     */
    synchronized Arrival enter(Waiter waiter) {
        LeaseRequest request = waiter.request();
        if (closed) {
            throw closed(request.key());
        }
        forgetVanished();
        KeyState state = keys.computeIfAbsent(request.key(), key -> new KeyState());
        state.dropExpired(now());
        Optional<KeyState.Holding> same = state.heldBy(request.owner());
        if (same.isPresent()) {
            same.get().extend(now(), request.timeToLive());
            return new Arrival(false, Optional.of(new Grant(same.get().lease(), ticker.now())));
        }
        if (state.admitsAtOnce(request)) {
            return new Arrival(false, Optional.of(grant(state, request)));
        }
        if (request.deadline().hasPassed()) {
            return new Arrival(false, Optional.empty());
        }
        state.queue().add(waiter);
        awaitExpiry(request.key(), state);
        return new Arrival(true, Optional.empty());
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
        state.replaceTimer(
                expiry.isPresent()
                        ? expiryTimer.apply(key, Duration.ofNanos(Math.max(0, expiry.getAsLong() - now())))
                        : () -> {});
    }

    private Grant grant(KeyState state, LeaseRequest request) {
        KeyState.InMemoryLease lease = new KeyState.InMemoryLease(
                request.key(),
                request.mode(),
                request.owner(),
                new FencingToken(++lastToken),
                request.renewedTimeToLive());
        state.hold(lease, now() + request.timeToLive().toNanos());
        return new Grant(lease, ticker.now());
    }

    /** Whether it was in the queue. */
    synchronized boolean leave(Waiter waiter) {
        KeyState state = keys.get(waiter.request().key());
        return state != null && state.queue().remove(waiter);
    }

    /** Grants the key to the waiters whose turn it is, and forgets it if unused. */
    synchronized Map<Waiter, Grant> admit(LockKey key) {
        KeyState state = keys.get(key);
        if (state == null) {
            return Map.of();
        }
        state.dropExpired(now());
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

    /** Whether it is held. */
    synchronized boolean renew(KeyState.InMemoryLease lease) {
        Optional<KeyState.Holding> holding = look(lease.key(), state -> state.heldBy(lease.owner()));
        holding.ifPresent(found -> found.extend(now(), lease.renewedTimeToLive()));
        return holding.isPresent();
    }

    /** Whether it was held. */
    synchronized boolean release(Lease lease, Duration keepFor) {
        return look(lease.key(), state -> state.release(lease.owner(), now(), keepFor))
                .isPresent();
    }

    synchronized Optional<Lease> find(LockKey key, FencingToken token) {
        return look(key, state -> state.heldUnder(token)).map(KeyState.Holding::lease);
    }

    synchronized Optional<LockStatus> status(LockKey key) {
        return look(key, state -> state.status(key, now()));
    }

    private <T> Optional<T> look(LockKey key, Function<KeyState, Optional<T>> question) {
        KeyState state = keys.get(key);
        if (state == null) {
            return Optional.empty();
        }
        state.dropExpired(now());
        if (state.isUnused()) {
            keys.remove(key);
        }
        return question.apply(state);
    }

    /** Refuses all later requests; returns the waiters, which have left their queues. */
    synchronized List<Waiter> close() {
        closed = true;
        List<Waiter> waiting = new ArrayList<>();
        keys.forEach((key, state) -> {
            waiting.addAll(state.queue());
            state.queue().clear();
            awaitExpiry(key, state);
        });
        return waiting;
    }

    synchronized ProviderStatus check() {
        return new ProviderStatus(
                closed ? ProviderStatus.State.DOWN : ProviderStatus.State.UP, Map.of("keys", keys.size()));
    }

    static LockUnavailableException closed(LockKey key) {
        return new LockUnavailableException(key, Duration.ZERO, "the provider is closed", null);
    }

    private long now() {
        return ticker.nanos();
    }
}
