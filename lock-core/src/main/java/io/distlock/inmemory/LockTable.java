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
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Who holds what and who waits for it, of all keys. As in a store, each call is one step that nothing comes between: it is
 * guarded by this object's monitor. Nobody is told under it: no future completes here, and only the clock and the timers,
 * which call nobody back at once, are called.
 */
final class LockTable {

    private final Ticker ticker;
    private final BiFunction<LockKey, Duration, LockScheduler.Scheduled> expiryTimer;
    /** In order of access: what nobody has asked about for longest comes first. */
    private final Map<LockKey, KeyState> keys = new LinkedHashMap<>(16, 0.75f, true);

    private long lastToken;
    private boolean closed;

    /** The outcome of entering: the request is queued, granted, or refused. */
    record Arrival(boolean isQueued, Optional<Grant> grant) {}

    /** A request in the queue of its key. */
    static final class Waiter extends CompletableFuture<Optional<Grant>> {

        private final LeaseRequest request;
        private final Consumer<Waiter> onCancel;
        private volatile LockScheduler.@Nullable Scheduled timer;

        Waiter(LeaseRequest request, Consumer<Waiter> onCancel) {
            this.request = request;
            this.onCancel = onCancel;
        }

        LeaseRequest request() {
            return request;
        }

        void endBy(LockScheduler.Scheduled deadline) {
            timer = deadline;
            if (isDone()) {
                stopTimer();
            }
        }

        void stopTimer() {
            LockScheduler.Scheduled running = timer;
            if (running != null) {
                running.cancel();
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            onCancel.accept(this);
            return cancelled;
        }
    }

    /**
     * @param expiryTimer sets a timer for a key
     */
    LockTable(Ticker ticker, BiFunction<LockKey, Duration, LockScheduler.Scheduled> expiryTimer) {
        this.ticker = ticker;
        this.expiryTimer = expiryTimer;
    }

    /**
     * Grants what can be granted at once; otherwise the waiter joins the queue, if it has time.
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

    /** Of a holder that vanished nobody may ever ask again: so each request looks at two keys that may be such. */
    private void forgetVanished() {
        for (LockKey key : keys.keySet().stream().limit(2).toList()) {
            KeyState state = keys.get(key);
            if (state != null) {
                state.dropExpired(now());
                forgetIfUnused(key, state);
            }
        }
    }

    private void forgetIfUnused(LockKey key, KeyState state) {
        if (state.isUnused()) {
            keys.remove(key);
        }
    }

    /** While somebody waits, a timer stands at the next time to live that may run out, and no longer. */
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
        state.hold(new KeyState.Holding(lease, now() + request.timeToLive().toNanos()));
        return new Grant(lease, ticker.now());
    }

    /** Whether it was in the queue. */
    synchronized boolean leave(Waiter waiter) {
        KeyState state = keys.get(waiter.request().key());
        return state != null && state.queue().remove(waiter);
    }

    /** Grants it to whoever's turn it is, and forgets the key if nobody is left. */
    synchronized Map<Waiter, Grant> admit(LockKey key) {
        KeyState state = keys.get(key);
        if (state == null) {
            return Map.of();
        }
        state.dropExpired(now());
        // As a rule nobody waits.
        Map<Waiter, Grant> admitted = state.queue().isEmpty() ? Map.of() : new LinkedHashMap<>();
        for (Optional<Waiter> next = state.next(); next.isPresent(); next = state.next()) {
            state.queue().remove(next.get());
            admitted.put(next.get(), grant(state, next.get().request()));
        }
        awaitExpiry(key, state);
        forgetIfUnused(key, state);
        return admitted;
    }

    /** Whether it is held. */
    synchronized boolean renew(KeyState.InMemoryLease lease) {
        Optional<KeyState.Holding> holding = look(lease.key(), state -> state.heldBy(lease.owner()));
        holding.ifPresent(found -> found.extend(now(), lease.renewedTimeToLive()));
        return holding.isPresent();
    }

    /** Whether it was held. */
    synchronized boolean giveBack(Lease lease, Duration keepFor) {
        return look(lease.key(), state -> state.giveBack(lease.owner(), now(), keepFor))
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
        return question.apply(state);
    }

    /** Lets nobody in any more. Who waited has left. */
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
