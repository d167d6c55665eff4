package io.distlock.engine;

import io.distlock.LockKey;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.WaiterInfo;
import io.distlock.spi.Deadline;
import io.distlock.spi.Moment;
import io.distlock.support.DueSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One client's acquisitions in progress. Thread-safe. */
final class PendingAcquisitions {

    private final ClientContext context;
    private final DueSet<KeyAcquisition> pending;
    private final CompletableFuture<Void> connecting;
    private volatile long connectedNanos;
    private volatile boolean closed;

    PendingAcquisitions(ClientContext context) {
        this.context = context;
        this.pending = new DueSet<>(
                context.ticker(), context.runtime().scheduler(), overdue -> overdue.forEach(KeyAcquisition::overdue));
        this.connectedNanos = context.ticker().nanos();
        this.connecting = context.provider()
                .connected()
                .exceptionally(broken -> false)
                .thenAccept(made -> {
                    if (made) {
                        connectedNanos = context.ticker().nanos();
                    }
                });
    }

    /** A lock being acquired, on one key or several, or one of several permits. Empty if others hold what is missing. */
    abstract static class PendingAcquisition extends CompletableFuture<Optional<EngineLock>> {

        final ClientContext context;
        final PendingAcquisitions pending;
        final LockRequest request;
        final long askedNanos;
        final Asker asker;
        final Moment started;

        /**
         * @param askedNanos when the caller asked
         */
        PendingAcquisition(PendingAcquisitions pending, LockRequest request, long askedNanos, Asker asker) {
            this.context = pending.context;
            this.pending = pending;
            this.request = request;
            this.askedNanos = askedNanos;
            this.asker = asker;
            this.started = context.ticker().now();
        }

        /** The end of the wait time, which begins once this process is connected. */
        final Deadline deadline() {
            long connected = pending.connecting.isDone()
                    ? pending.connectedNanos
                    : context.ticker().nanos();
            long begun = connected - askedNanos > 0 ? connected : askedNanos;
            return new Deadline(
                    context.ticker(), begun + request.options().waitTime().toNanos());
        }

        /** The key that is being requested or, at the end, the one that decided the outcome. */
        abstract LockKey key();

        /** What the caller asked for: this, unless it is a part of another acquisition. */
        PendingAcquisition call() {
            return this;
        }

        final WaiterInfo info(long now) {
            return new WaiterInfo(
                    key(),
                    request.permits(),
                    request.mode(),
                    Instant.ofEpochMilli(started.wallMillis()),
                    ClientContext.between(started.nanos(), now),
                    deadline().remaining(),
                    asker.thread());
        }

        Duration waited() {
            return context.since(started.nanos());
        }

        final LockNotAcquiredException notAcquired() {
            return new LockNotAcquiredException(key(), waited());
        }

        /** Cancels; if it has just succeeded, releases the lock. */
        final void abandon() {
            if (!cancel(true)) {
                thenAccept(granted -> granted.ifPresent(EngineLock::giveBack));
            }
        }
    }

    /** Ends once this process is connected, or could not be connected in time. */
    CompletableFuture<Void> connecting() {
        return connecting;
    }

    /** Starts an acquisition that ends within its wait time plus a round trip. */
    PendingAcquisition start(LockRequest request) {
        long now = context.ticker().nanos();
        Asker asker = Asker.current();
        if (request.permits() > 1) {
            PermitAcquisition any = new PermitAcquisition(this, request, now, asker);
            any.advance();
            return any;
        }
        if (request.keys().size() == 1) {
            KeyAcquisition one = new KeyAcquisition(this, request.keys().get(0), request, now, asker);
            one.start();
            return one;
        }
        MultiKeyAcquisition all = new MultiKeyAcquisition(this, request, now, asker);
        all.advance();
        return all;
    }

    void add(KeyAcquisition key) {
        pending.add(key);
    }

    void remove(KeyAcquisition key) {
        pending.remove(key);
    }

    Collection<KeyAcquisition> members() {
        return pending.members();
    }

    /** What callers wait for; of several keys, the one being acquired now. */
    Stream<PendingAcquisition> calls() {
        return pending.members().stream().map(KeyAcquisition::call).distinct();
    }

    /** All pending acquisitions have failed or are about to. */
    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
        // In the order of their arrival; the permits of one call by their keys.
        Comparator<KeyAcquisition> arrival = (one, two) -> Long.signum(one.started.nanos() - two.started.nanos());
        pending.members().stream()
                .sorted(arrival.thenComparing(KeyAcquisition::key))
                .forEach(KeyAcquisition::failClosed);
    }

    /**
     * The acquisition of several keys, one after the other in canonical order (so that two requests cannot
     * deadlock), under one deadline. Gets all of them or none.
     */
    private static final class MultiKeyAcquisition extends PendingAcquisition {

        // Touched by one step at a time; each begins after the previous one ended.
        private final List<EngineLock> held = new ArrayList<>();
        private volatile @Nullable KeyAcquisition current;

        MultiKeyAcquisition(PendingAcquisitions pending, LockRequest request, long askedNanos, Asker asker) {
            super(pending, request, askedNanos, asker);
        }

        /** Takes the next keys. Iterative: answers may be immediate, and a request has up to a thousand keys. */
        void advance() {
            while (held.size() < request.keys().size()) {
                LockKey key = request.keys().get(held.size());
                KeyAcquisition next = new KeyAcquisition(pending, key, request, askedNanos, asker);
                next.start();
                current = next;
                if (isDone()) {
                    next.cancel(true);
                }
                if (!next.isDone()) {
                    next.whenComplete((answer, failure) -> {
                        if (keep(next)) {
                            advance();
                        }
                    });
                    return;
                }
                if (!keep(next)) {
                    return;
                }
            }
            finish();
        }

        private boolean keep(KeyAcquisition done) {
            if (done.isCompletedExceptionally()) {
                giveBackAll();
                done.whenComplete((none, failure) -> completeExceptionally(failure));
                return false;
            }
            Optional<EngineLock> answer = done.join();
            if (answer.isEmpty()) {
                // Before the caller is notified: its next attempt must not find this one in the queues.
                giveBackAll().thenRun(() -> complete(Optional.empty()));
                return false;
            }
            held.add(answer.get());
            return true;
        }

        private void finish() {
            // Looked for before they are released, or each of them would seem lost.
            var lost = held.stream().filter(each -> !each.isHeld()).findFirst();
            if (lost.isPresent() || !complete(Optional.of(new CompositeHeldLock(held)))) {
                giveBackAll();
            }
            String why = "one of " + held.size() + " keys was lost while waiting for the others";
            lost.ifPresent(each -> completeExceptionally(
                    new LockUnavailableException(each.keys().get(0), waited(), why, null)));
        }

        @Override
        LockKey key() {
            KeyAcquisition step = current;
            return step == null ? request.keys().get(0) : step.key();
        }

        /** All at once; ends within one call to the store, and never fails. */
        private CompletableFuture<Release> giveBackAll() {
            return new CompositeHeldLock(held).giveBack();
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            KeyAcquisition step = current;
            if (cancelled && step != null) {
                // When it ends, our next step releases the keys taken before.
                step.cancel(true);
            }
            return cancelled;
        }
    }
}
