package io.distlock.engine;

import io.distlock.LockEvent;
import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.engine.KeyQueues.StoreReply;
import io.distlock.engine.PendingAcquisitions.PendingAcquisition;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.DueSet;
import io.distlock.support.Futures;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The acquisition of one key: first the local queue, then the provider. Ends by its deadline even if the provider does not
 * answer; cancelling leaves neither a place in the queue nor a lease in the store.
 */
class KeyAcquisition extends PendingAcquisition implements DueSet.Due {

    /** Added to the provider's own time limit, since its error is more specific. */
    private static final long PROVIDER_OVERDUE = 250_000_000;

    private final LockKey key;
    private final LockMode mode;
    private final LockOptions options;
    private final KeyQueues.Ticket ticket;

    private volatile boolean asking;
    private volatile long begunNanos;
    private volatile long preparedNanos;
    private volatile @Nullable CompletableFuture<Optional<Grant>> remote;

    KeyAcquisition(PendingAcquisitions pending, LockKey key, LockRequest request, long askedNanos, Asker asker) {
        super(pending, request, askedNanos, asker);
        this.key = key;
        this.mode = request.mode();
        this.options = request.options();
        this.ticket = new KeyQueues.Ticket(key, mode, this::takeTurn);
    }

    void start() {
        if (!pending.isClosed()) {
            pending.add(this);
            boolean mayQueue = !options.waitTime().isZero();
            if (context.queues().enter(ticket, mayQueue)) {
                askProvider();
            } else if (!mayQueue) {
                giveUpUnasked();
            }
        }
        if (pending.isClosed()) {
            // Perhaps only now, and close() may not have seen it.
            failClosed();
        }
    }

    private void takeTurn() {
        if (deadline().hasPassed()) {
            giveUpUnasked();
        } else {
            askProvider();
        }
    }

    /** Never throws: it may run on the thread of another call that is leaving the queue. */
    private void askProvider() {
        if (isDone()) {
            context.queues().leave(ticket);
            return;
        }
        asking = true;
        if (!pending.connecting().isDone()) {
            pending.connecting().thenRun(this::askProvider);
            return;
        }
        // Until its answer is handled: close() waits for a grant that nobody here has seen yet.
        context.openWork().begin();
        if (pending.isClosed()) {
            // Perhaps admitted because close() failed its predecessor: send nothing more to the store.
            context.openWork().end();
            failClosed();
            return;
        }
        long begun = context.ticker().nanos();
        CompletableFuture<Optional<Grant>> asked;
        try {
            var lease = new LeaseRequest(key, mode, context.ownerIds().next(), options, deadline(), listener(ticket));
            asked = Objects.requireNonNull(context.provider().acquire(lease), "the provider's answer");
        } catch (RuntimeException | Error failure) {
            asked = CompletableFuture.failedFuture(failure);
        }
        begunNanos = begun;
        preparedNanos = context.ticker().nanos() - begun;
        remote = asked;
        asked.whenComplete((grant, failure) -> {
            if (failure == null && grant != null && grant.isPresent()) {
                granted(grant.get());
                return;
            }
            // Nothing is left at the store, so close() need not wait, even if a listener calls it.
            context.openWork().end();
            if (failure != null) {
                fail(failure);
            } else if (grant == null) {
                fail(new NullPointerException("its answer was null"));
            } else {
                giveUp();
            }
        });
        if (isDone()) {
            asked.cancel(true);
        }
    }

    private void granted(Grant grant) {
        try {
            if (!hasTimeLeft(grant)) {
                returnStale(grant);
            } else if (claim()) {
                hold(grant);
            } else {
                returnSurplus(grant);
            }
        } finally {
            context.openWork().end();
        }
    }

    /** A grant that took most of its lease to arrive would end before it is useful. */
    private boolean hasTimeLeft(Grant grant) {
        long left = context.validityNanos(options.leaseTime()) - grant.since().elapsedNanos(context.ticker());
        return left >= Math.max(options.leaseTime().toNanos() / 10, 20_000_000);
    }

    private void returnStale(Grant grant) {
        context.openWork().begin();
        context.release(grant.lease(), options.timeToLive(), () -> Duration.ZERO)
                .thenAccept(released -> {
                    context.openWork().end();
                    if (isDone() || deadline().hasPassed()) {
                        // Nobody had it.
                        fail("the grant arrived too late to be useful", null);
                    } else {
                        askProvider();
                    }
                });
    }

    /** In the place of the queue that it has: the next call must not find the lease at the store. */
    private void returnSurplus(Grant grant) {
        context.openWork().begin();
        context.release(grant.lease(), options.timeToLive(), () -> Duration.ZERO)
                .thenAccept(released -> {
                    context.openWork().end();
                    cancel(true);
                });
    }

    private void hold(Grant grant) {
        DefaultHeldLock held = new DefaultHeldLock(context, options, grant, ticket, asker, permit());
        ticket.taken();
        // Before anybody can release it, or it would stay there forever.
        context.openWork().begin();
        context.publish(
                name -> new LockEvent.Acquired(name, key, mode, grant.lease().token(), waited()));
        // From here on, it can be lost.
        context.watchdog().add(held);
        context.listenForLoss(grant.lease(), () -> held.lose(LockLoss.Reason.NOT_OWNER));
        pending.remove(this);
        if (!complete(Optional.of(held))) {
            held.giveBack();
        }
    }

    private void giveUp() {
        ticket.refused();
        end(() -> complete(Optional.empty()), name -> new LockEvent.NotAcquired(name, key, mode, waited()));
    }

    /**
     * The store was never asked for this call; the one before it knows whether another holds the key. A single attempt takes
     * the presence of an earlier call for the answer.
     */
    private void giveUpUnasked() {
        StoreReply reply = context.queues().reply(key);
        Throwable cause = reply instanceof StoreReply.Failed failed ? failed.cause() : null;
        if (reply == StoreReply.Answer.TAKEN
                || (cause == null && options.waitTime().isZero())) {
            giveUp();
        } else {
            String answer = cause == null ? "" : ": " + cause.getMessage();
            fail("an earlier call in this process has no answer yet" + answer, cause);
        }
    }

    void failClosed() {
        fail("the lock client is closed", null);
    }

    private void fail(String why, @Nullable Throwable cause) {
        fail(new LockUnavailableException(key, waited(), why, cause));
    }

    private void fail(Throwable cause) {
        Throwable reason = Futures.cause(cause);
        LockException failure = reason instanceof LockException known
                ? known
                : new LockUnavailableException(key, waited(), "the provider failed: " + reason, reason);
        // If this call was cancelled, that says nothing about the store.
        if (remote != null && !isDone()) {
            ticket.failed(failure);
        }
        end(() -> completeExceptionally(failure), name -> new LockEvent.Failed(name, key, mode, waited(), failure));
    }

    private void end(BooleanSupplier completion, Function<String, LockEvent> event) {
        // Before the caller is notified: its next attempt must not find this one in the queue.
        context.queues().leave(ticket);
        if (completion.getAsBoolean()) {
            publishEnd(event);
        }
        leave();
    }

    // --- what differs for one of several permits ---

    /** Whether a grant is still wanted. Asked once for each grant. */
    boolean claim() {
        return true;
    }

    int permit() {
        return 1;
    }

    /** Receives the store's replies. */
    LeaseRequest.Listener listener(KeyQueues.Ticket ticket) {
        return ticket;
    }

    /** It has ended without a grant. */
    void publishEnd(Function<String, LockEvent> event) {
        context.publish(event);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            publishEnd(name -> new LockEvent.Failed(name, key, mode, waited(), new CancellationException("cancelled")));
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
        context.queues().leave(ticket);
    }

    /** Called by the scheduler once {@link #dueNanos()} has passed. */
    void overdue() {
        if (mayWaitInTheQueue()) {
            giveUpUnasked();
            return;
        }
        long due = dueNanos();
        if (context.ticker().nanos() - due >= 0) {
            String why = due - started.nanos() < mostNanosForTheAnswer()
                    ? "the wait time was over before all " + request.keys().size() + " keys had been asked for"
                    : "the provider '" + context.provider().name() + "' did not answer in time";
            String late = context.runtime().timeouts().lateness(due);
            fail(why + late, null);
        }
    }

    /** A single attempt never waits in the queue, and ends with its answer, not with its deadline. */
    final boolean mayWaitInTheQueue() {
        return !asking && !options.waitTime().isZero();
    }

    /** What the provider needs before it returns is not counted: loading its classes says nothing about the store. */
    @Override
    public long dueNanos() {
        long due = deadline().nanos();
        if (mayWaitInTheQueue()) {
            return due;
        } else if (remote == null) {
            return context.ticker().nanos() + mostNanosForTheAnswer();
        }
        // Each single attempt has its own time, however many other keys were asked for before. So has a call whose time
        // went by while this process could not connect.
        boolean own = options.waitTime().isZero() || started.nanos() - due <= 0;
        return (own && begunNanos - due > 0 ? begunNanos : due) + preparedNanos + mostNanosForTheAnswer();
    }

    private long mostNanosForTheAnswer() {
        return context.provider().callTimeout().toNanos() + PROVIDER_OVERDUE;
    }

    @Override
    LockKey key() {
        return key;
    }
}
