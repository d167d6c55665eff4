package io.distlock.support;

import io.distlock.LockMode;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One acquisition in the {@link AcquireLoop}. Its fields belong to the current step. */
final class Acquisition extends CompletableFuture<Optional<Grant>> {

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(20), Duration.ofSeconds(1));

    /** Redis frees a key in the millisecond after its time to live. */
    private static final Duration JUST_AFTER = Duration.ofMillis(1);

    /** For a holder whose time to live the store does not know: removing it by hand sends no event. */
    private static final Duration UNKNOWN_HOLDER = Duration.ofSeconds(5);

    private final AcquireLoop loop;
    private final TryLockStore store;
    private final LeaseRequest request;
    private final long startedNanos;
    private final Parker parker;

    /** Cancelled at the end, so that a later subscription is closed at once. */
    private final CompletableFuture<TryLockStore.Subscription> subscription = new CompletableFuture<>();

    private boolean mayBeApplied;
    private boolean refusedBefore;
    private int failures;
    private @Nullable Throwable lastFailure;
    private @Nullable Throwable subscribeFailure;

    Acquisition(AcquireLoop loop, TryLockStore store, LeaseRequest request) {
        this.loop = loop;
        this.store = store;
        this.request = request;
        this.startedNanos = loop.runtime.ticker().nanos();
        this.parker = new Parker(loop.runtime.scheduler(), () -> goOn(this::tryOnce), this::settle);
    }

    /** Continues unless it is over or past its deadline. */
    private void goOn(Runnable next) {
        if (isDone()) {
            parker.finish();
        } else if (request.deadline().hasPassed()) {
            end();
        } else {
            next.run();
        }
    }

    void tryOnce() {
        parker.asks();
        loop.runtime
                .timeouts()
                .within(answerLimit(), store.attempt(request, mayBeApplied))
                .whenComplete((attempt, failure) ->
                        answered(failure == null ? attempt : new TryLockStore.Result.Failed(failure, true)));
    }

    /** A wait of zero gets a full round trip; any other ends soon after its deadline, whatever the store does. */
    private Duration answerLimit() {
        Duration remaining = request.deadline().remaining();
        if (remaining.isZero()) {
            return loop.callTimeout;
        }
        Duration limit = remaining.plus(lateness());
        return limit.compareTo(loop.callTimeout) < 0 ? limit : loop.callTimeout;
    }

    private void answered(TryLockStore.Result attempt) {
        if (attempt instanceof TryLockStore.Result.Granted granted) {
            mayBeApplied = !complete(Optional.of(granted.grant()));
            parker.finish();
            return;
        }
        note(attempt);
        Throwable failure = failure();
        if (failure == null) {
            request.listener().refused();
        } else {
            request.listener().failed(failure);
        }
        goOn(() -> {
            if (attempt instanceof TryLockStore.Result.Refused refused) {
                awaitRelease(refused.freeIn().map(JUST_AFTER::plus).orElse(UNKNOWN_HOLDER));
            } else {
                park(BACKOFF.pause(failures));
            }
        });
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

    /** Parks if a release would be announced; otherwise subscribes, and tries again. */
    private void awaitRelease(Duration freeIn) {
        if (subscription.isDone()) {
            park(freeIn);
            return;
        }
        loop.enlist(this);
        var subscribing = store.subscribe(request.key(), parker::wake);
        // On the stage itself, not the limited one: a subscription that arrives late must also be closed.
        var adopted = subscribing.thenAccept(this::adopt);
        loop.runtime.timeouts().within(answerLimit(), adopted).whenComplete((done, failure) -> {
            if (failure != null) {
                subscribeFailed(failure);
            } else if (isDone()) {
                parker.finish();
            } else {
                tryOnce();
            }
        });
    }

    private void adopt(TryLockStore.Subscription made) {
        if (!subscription.complete(made)) {
            made.close();
        }
    }

    private void subscribeFailed(Throwable failure) {
        subscribeFailure = failure;
        failures++;
        request.listener().failed(failure);
        goOn(() -> park(BACKOFF.pause(failures)));
    }

    private void park(Duration time) {
        loop.enlist(this);
        Duration remaining = request.deadline().remaining();
        parker.park(time.compareTo(remaining) < 0 ? time : untilLastLook(remaining));
    }

    /**
     * A parked waiter asks once more before its deadline: a store that has frozen since the last answer must not be mistaken
     * for one that says "held by another", and a missed release is found. A short wait has just had its last
     * answer, and does not ask again.
     */
    private Duration untilLastLook(Duration remaining) {
        return remaining.compareTo(lateness().multipliedBy(2)) > 0 ? remaining.minus(lateness()) : remaining;
    }

    /** How late an answer may be, and so how long before the deadline the last try is made. */
    private Duration lateness() {
        return loop.callTimeout.dividedBy(10);
    }

    /**
     * Why the store has not fully answered, or null. Without a subscription even a late refusal is not a full answer:
     * the key may have been free in between.
     */
    private @Nullable Throwable failure() {
        return lastFailure != null || subscription.isDone() ? lastFailure : subscribeFailure;
    }

    /** The deadline has passed. */
    private void end() {
        Throwable failure = failure();
        if (failure == null) {
            complete(Optional.empty());
        } else {
            fail(String.valueOf(failure.getMessage()), failure);
        }
        parker.finish();
    }

    void fail(String why, @Nullable Throwable cause) {
        Duration waited = Duration.ofNanos(loop.runtime.ticker().nanos() - startedNanos);
        completeExceptionally(new LockUnavailableException(request.key(), waited, why, cause));
        parker.stop();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        parker.stop();
        return cancelled;
    }

    /** Leaves nothing behind, here or in the store. */
    private void settle() {
        if (!subscription.cancel(false)) {
            subscription.join().close();
        }
        if (mayBeApplied || (isCompletedExceptionally() && mayStandAmongTheWaiters())) {
            loop.withdraw(store, request);
        }
        loop.settled(this);
    }

    /** A store may have noted a waiting writer until the deadline; ending earlier must undo that. */
    private boolean mayStandAmongTheWaiters() {
        return refusedBefore
                && request.mode() == LockMode.EXCLUSIVE
                && !request.deadline().hasPassed();
    }
}
