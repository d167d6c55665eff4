package io.distlock.engine;

import io.distlock.LockEvent;
import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.LockWait;
import io.distlock.LossReason;
import io.distlock.spi.AcquireProgress;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.DueSet;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One key on its way from the door to the grant: through the local gate, then to the provider. Ends by its deadline
 * even if the provider breaks its word; cancelling leaves neither a place at the gate nor a lease at the store.
 */
final class PendingKey extends PendingAcquisition<HeldKey> implements AcquireProgress, DueSet.Due {

    /** On top of the provider's own time limit, whose error says more than ours. */
    private static final Duration PROVIDER_OVERDUE = Duration.ofMillis(250);

    private final Engine engine;
    private final PendingKeys pending;
    private final LockKey key;
    private final LockMode mode;
    private final LockOptions options;
    private final Deadline deadline;
    private final String asker;
    private final KeyGates.Ticket ticket;
    private final long startedNanos;

    private volatile boolean asking;
    private volatile @Nullable CompletableFuture<Optional<Grant>> remote;

    /**
     * @param asker the thread that asked, for people
     */
    PendingKey(
            Engine engine,
            PendingKeys pending,
            LockKey key,
            LockMode mode,
            LockOptions options,
            Deadline deadline,
            String asker) {
        this.engine = engine;
        this.pending = pending;
        this.key = key;
        this.mode = mode;
        this.options = options;
        this.deadline = deadline;
        this.asker = asker;
        this.ticket = new KeyGates.Ticket(key, mode, this::takeTurn);
        this.startedNanos = engine.ticker().nanos();
    }

    void start() {
        if (options.waitTime().isZero()) {
            // The gate knows first: held or waited for in this process is an answer, without a call.
            if (engine.gates().tryEnter(ticket)) {
                askProvider();
            } else if (engine.gates().news(key) instanceof StoreNews.Trouble trouble) {
                failUnasked(trouble.cause());
            } else {
                giveUp();
            }
        } else if (engine.gates().enter(ticket)) {
            askProvider();
        }
    }

    private void takeTurn() {
        if (deadline.hasPassed()) {
            giveUpUnasked();
        } else {
            askProvider();
        }
    }

    /** Throws nothing: it may be called as another leaves the gate, who has nothing to do with it. */
    private void askProvider() {
        if (isDone()) {
            engine.gates().leave(ticket);
            return;
        }
        if (pending.isClosed()) {
            // Let in, perhaps, because the one before it was failed: nobody goes to the store any more.
            fail(PendingKeys.closed(key));
            return;
        }
        asking = true;
        var request = new LeaseRequest(key, mode, engine.owners().next(), options, deadline, this);
        var asked = ask(request);
        remote = asked;
        asked.whenComplete((grant, failure) -> {
            if (failure == null) {
                answered(request, grant);
            } else {
                fail(failure);
            }
        });
        if (isDone()) {
            asked.cancel(true);
        }
    }

    /** A provider that throws must not harm whoever has just left the gate, on whose thread this may run. */
    private CompletableFuture<Optional<Grant>> ask(LeaseRequest request) {
        try {
            return engine.provider().acquire(request);
        } catch (RuntimeException | Error failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private void answered(LeaseRequest request, Optional<Grant> grant) {
        if (grant.isEmpty()) {
            giveUp();
        } else if (hasTimeLeft(grant.get())) {
            hold(request, grant.get());
        } else {
            returnStale(request, grant.get());
        }
    }

    /** A grant that took most of its lease to arrive would be over before it is of use. */
    private boolean hasTimeLeft(Grant grant) {
        long left = engine.validityNanos(options) - grant.since().elapsedNanos(engine.ticker());
        return left >= Math.max(options.leaseTime().toNanos() / 10, 20_000_000);
    }

    private void returnStale(LeaseRequest request, Grant grant) {
        engine.giveBack(grant.lease(), request.timeToLive(), () -> Duration.ZERO)
                .thenAccept(released -> {
                    if (isDone() || deadline.hasPassed()) {
                        // Nobody else had it.
                        fail(new LockUnavailableException(key, waited(), "the grant came too late to be of use", null));
                    } else {
                        askProvider();
                    }
                });
    }

    private void hold(LeaseRequest request, Grant grant) {
        HeldKey held = new HeldKey(engine, request, grant, ticket, asker);
        ticket.heard(StoreNews.TAKEN);
        // Watched before anybody can release it, or it would be watched for ever.
        engine.watchdog().add(held);
        engine.listeners()
                .publish(() -> new LockEvent.Acquired(key, mode, grant.lease().token(), waited()));
        engine.listenForLoss(grant.lease(), () -> held.lose(LossReason.NOT_OWNER));
        pending.remove(this);
        if (!complete(Optional.of(held))) {
            held.startRelease();
        }
    }

    /** Another has it. */
    private void giveUp() {
        if (remote != null) {
            ticket.heard(StoreNews.TAKEN);
        }
        // Before the caller hears of it: its next attempt must not find this one at the gate.
        engine.gates().leave(ticket);
        if (complete(Optional.empty())) {
            engine.listeners().publish(() -> new LockEvent.NotAcquired(key, mode, waited()));
        }
        leave();
    }

    /** The store was never asked for this one; whoever stands before it knows whether another has the key. */
    private void giveUpUnasked() {
        StoreNews news = engine.gates().news(key);
        if (news instanceof StoreNews.Taken) {
            giveUp();
        } else {
            failUnasked(news instanceof StoreNews.Trouble trouble ? trouble.cause() : null);
        }
    }

    private void failUnasked(@Nullable Throwable cause) {
        String why = "the call of this process that comes before it has no answer yet"
                + (cause == null ? "" : ": " + cause.getMessage());
        fail(new LockUnavailableException(key, waited(), why, cause));
    }

    @Override
    public void refused() {
        ticket.heard(StoreNews.TAKEN);
    }

    @Override
    public void failed(Throwable cause) {
        ticket.heard(new StoreNews.Trouble(cause));
    }

    void fail(Throwable cause) {
        Throwable reason = cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
        LockException failure = reason instanceof LockException known
                ? known
                : new LockUnavailableException(key, waited(), "the provider failed: " + reason, reason);
        if (remote != null) {
            ticket.heard(new StoreNews.Trouble(failure));
        }
        engine.gates().leave(ticket);
        if (completeExceptionally(failure)) {
            engine.listeners().publish(() -> new LockEvent.Failed(key, mode, waited(), failure));
        }
        leave();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            engine.listeners()
                    .publish(() -> new LockEvent.Failed(key, mode, waited(), new CancellationException("cancelled")));
            leave();
        }
        return cancelled;
    }

    private void leave() {
        pending.remove(this);
        var asked = remote;
        if (asked != null && !asked.isDone()) {
            asked.cancel(true);
        }
        engine.gates().leave(ticket);
    }

    /** Called by the scheduler once {@link #dueNanos()} has passed. */
    void overdue() {
        if (mayStandAtTheGate()) {
            giveUpUnasked();
            return;
        }
        long due = dueNanos();
        if (engine.ticker().nanos() - due >= 0) {
            String why = remote == null
                    ? "this process is still preparing the call, as a first one that loads classes and connects"
                    : "the provider '" + engine.provider().name() + "' did not answer in time";
            String late = engine.runtime().timeouts().lateness(due);
            fail(new LockUnavailableException(key, waited(), why + late, null));
        }
    }

    /** One attempt never stands at the gate, and is over with its answer, not with its deadline. */
    private boolean mayStandAtTheGate() {
        return !asking && !options.waitTime().isZero();
    }

    @Override
    public long dueNanos() {
        return mayStandAtTheGate()
                ? deadline.nanos()
                : deadline.nanos()
                        + engine.provider().callTimeout().plus(PROVIDER_OVERDUE).toNanos();
    }

    @Override
    LockKey key() {
        return key;
    }

    LockWait look(long now) {
        return new LockWait(key, mode, Engine.between(startedNanos, now), deadline.remaining(), asker);
    }

    Duration waited() {
        return engine.since(startedNanos);
    }
}
