package io.distlock.support;

import io.distlock.LockMode;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition on its way through the {@link AcquireLoop}. At any moment it does one thing: a try is in flight, a
 * subscription is being made, or it is parked with a timer. State is guarded by this object's monitor; nothing
 * foreign is called while it is held.
 */
final class Acquisition extends CompletableFuture<Optional<Grant>> {

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(20), Duration.ofSeconds(1));

    /** Redis frees a key in the millisecond after its time to live. */
    private static final Duration JUST_AFTER = Duration.ofMillis(1);

    /** For a holder whose time to live the store does not know: it gives no event when it is removed by hand. */
    private static final Duration UNKNOWN_HOLDER = Duration.ofSeconds(5);

    private final AcquireLoop loop;
    private final TryLockStore store;
    private final LeaseRequest request;
    private final long startedNanos;

    private boolean inFlight;
    private boolean woken;
    private boolean settled;
    private boolean mayBeApplied;
    private boolean refusedBefore;
    private int failures;
    private @Nullable Throwable lastFailure;
    private @Nullable Throwable subscribeFailure;
    private LockScheduler.@Nullable Scheduled timer;
    private TryLockStore.@Nullable Subscription subscription;

    Acquisition(AcquireLoop loop, TryLockStore store, LeaseRequest request) {
        this.loop = loop;
        this.store = store;
        this.request = request;
        this.startedNanos = loop.runtime().ticker().nanos();
    }

    void tryOnce() {
        boolean again;
        synchronized (this) {
            if (isDone()) {
                return;
            }
            // Before the request leaves: a release that is announced from here on may have come after the answer.
            woken = false;
            inFlight = true;
            again = mayBeApplied;
        }
        loop.runtime()
                .timeouts()
                .within(answerLimit(), store.attempt(request, again))
                .whenComplete((attempt, failure) ->
                        answered(failure == null ? attempt : new TryLockStore.Result.Failed(failure, true)));
    }

    /** A wait of zero gets a whole round trip; any other ends soon after its deadline, whatever the store does. */
    private Duration answerLimit() {
        Duration remaining = request.deadline().remaining();
        if (remaining.isZero()) {
            return loop.callTimeout();
        }
        Duration limit = remaining.plus(lateness());
        return limit.compareTo(loop.callTimeout()) < 0 ? limit : loop.callTimeout();
    }

    private void answered(TryLockStore.Result attempt) {
        if (attempt instanceof TryLockStore.Result.Granted granted) {
            granted(granted.grant());
            return;
        }
        synchronized (this) {
            inFlight = false;
            note(attempt);
        }
        Throwable failure = failure();
        if (failure == null) {
            request.listener().refused();
        } else {
            request.listener().failed(failure);
        }
        if (isDone()) {
            settle();
        } else if (request.deadline().hasPassed()) {
            end();
        } else if (attempt instanceof TryLockStore.Result.Refused refused) {
            awaitRelease(refused.freeIn().map(JUST_AFTER::plus).orElse(UNKNOWN_HOLDER));
        } else {
            park(BACKOFF.pause(failures));
        }
    }

    private void granted(Grant grant) {
        boolean taken = complete(Optional.of(grant));
        synchronized (this) {
            inFlight = false;
            mayBeApplied = !taken;
        }
        settle();
    }

    private void note(TryLockStore.Result attempt) {
        if (attempt instanceof TryLockStore.Result.Failed failed) {
            mayBeApplied |= failed.mayBeApplied();
            lastFailure = failed.cause();
            failures++;
        } else {
            refusedBefore = true;
            lastFailure = null;
            failures = failure() == null ? 0 : failures;
        }
    }

    /** Parks if a release would be announced; otherwise subscribes first. */
    private void awaitRelease(Duration freeIn) {
        boolean subscribed;
        synchronized (this) {
            subscribed = subscription != null;
        }
        if (subscribed) {
            park(freeIn);
        } else {
            subscribeAndTryAgain();
        }
    }

    private void subscribeAndTryAgain() {
        loop.enlist(this);
        var subscribing = store.subscribe(request.key(), this::wake);
        // On the stage itself and not on the limited one: a subscription that comes too late must be closed, too.
        var adopted = subscribing.thenAccept(this::adopt);
        loop.runtime().timeouts().within(answerLimit(), adopted).whenComplete((done, failure) -> {
            if (failure == null) {
                tryOnce();
            } else {
                subscribeFailed(failure);
            }
        });
    }

    private void adopt(TryLockStore.Subscription made) {
        TryLockStore.Subscription surplus = made;
        synchronized (this) {
            if (!settled && subscription == null) {
                subscription = made;
                surplus = null;
            }
        }
        if (surplus != null) {
            surplus.close();
        }
    }

    private void subscribeFailed(Throwable failure) {
        synchronized (this) {
            subscribeFailure = failure;
            failures++;
        }
        request.listener().failed(failure);
        if (request.deadline().hasPassed()) {
            end();
        } else {
            park(BACKOFF.pause(failures));
        }
    }

    private void park(Duration time) {
        loop.enlist(this);
        Duration remaining = request.deadline().remaining();
        Duration pause = time.compareTo(remaining) < 0 ? time : untilLastLook(remaining);
        synchronized (this) {
            if (isDone()) {
                return;
            }
            if (!woken) {
                timer = loop.runtime().scheduler().schedule(this::timeUp, pause);
                return;
            }
        }
        tryOnce();
    }

    /**
     * A parked waiter asks once more before its deadline: a store that has frozen since the last answer must not be taken for
     * one that says "held by another", and a release that was missed is found. A short wait has seen its last answer only
     * just now, and gets no look of its own.
     */
    private Duration untilLastLook(Duration remaining) {
        return remaining.compareTo(lateness().multipliedBy(2)) > 0 ? remaining.minus(lateness()) : remaining;
    }

    /** What an answer that was asked for in time may be late; and how long before the deadline the last one is asked for. */
    private Duration lateness() {
        return loop.callTimeout().dividedBy(10);
    }

    private void timeUp() {
        synchronized (this) {
            if (!stopTimer()) {
                return;
            }
        }
        if (request.deadline().hasPassed()) {
            end();
        } else {
            tryOnce();
        }
    }

    /** A release was announced, or may have been missed. Called by the driver. */
    private void wake() {
        synchronized (this) {
            woken = true;
            if (!stopTimer()) {
                return;
            }
        }
        tryOnce();
    }

    /** False if it was not parked. Under the monitor: a wake-up and the timer meet here, and one of them goes on. */
    private boolean stopTimer() {
        if (timer == null) {
            return false;
        }
        timer.cancel();
        timer = null;
        return true;
    }

    /**
     * What keeps the store from giving a full answer. A refusal alone is none while releases cannot be listened to:
     * the key may have been free in between.
     */
    private synchronized @Nullable Throwable failure() {
        if (lastFailure != null) {
            return lastFailure;
        }
        // One that came too late stands all the same.
        return subscription == null ? subscribeFailure : null;
    }

    /** The deadline has passed. */
    private void end() {
        Throwable failure = failure();
        if (failure == null) {
            complete(Optional.empty());
            settle();
        } else {
            fail(String.valueOf(failure.getMessage()), failure);
        }
    }

    void fail(String why, @Nullable Throwable cause) {
        Duration waited = Duration.ofNanos(loop.runtime().ticker().nanos() - startedNanos);
        completeExceptionally(new LockUnavailableException(request.key(), waited, why, cause));
        settle();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        settle();
        return cancelled;
    }

    /** Once it is over and nothing is in flight: leaves nothing behind, here or at the store. */
    private void settle() {
        TryLockStore.Subscription ended;
        boolean leftover;
        synchronized (this) {
            stopTimer();
            // A try in flight settles when it is answered or times out; only then is its outcome known.
            if (inFlight || settled) {
                return;
            }
            settled = true;
            ended = subscription;
            subscription = null;
            leftover = mayBeApplied || (isCompletedExceptionally() && mayStandAmongTheWaiters());
        }
        if (ended != null) {
            ended.close();
        }
        if (leftover) {
            loop.withdraw(store, request);
        }
        loop.settled(this);
    }

    /** A store may have noted a waiting writer until the deadline; ending before it must undo that. */
    private boolean mayStandAmongTheWaiters() {
        return refusedBefore
                && request.mode() == LockMode.EXCLUSIVE
                && !request.deadline().hasPassed();
    }
}
