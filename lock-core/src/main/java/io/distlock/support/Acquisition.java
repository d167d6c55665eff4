package io.distlock.support;

import io.distlock.LockMode;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One acquisition in the {@link AcquireLoop}. Its fields belong to the current step. */
final class Acquisition extends WaitingAcquisition {

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(20), Duration.ofSeconds(1));

    /** For a holder whose time to live the store does not know: removing it by hand sends no event. */
    private static final Duration UNKNOWN_HOLDER = Duration.ofSeconds(5);

    private final AcquireLoop loop;
    private final TryLockStore store;

    /** Cancelled at the end, so that a later subscription is closed at once. */
    private final CompletableFuture<TryLockStore.Subscription> subscription = new CompletableFuture<>();

    private boolean mayBeApplied;
    private boolean refusedBefore;
    private int failures;
    private @Nullable Throwable lastFailure;
    private @Nullable Throwable subscribeFailure;

    Acquisition(AcquireLoop loop, TryLockStore store, LeaseRequest request) {
        super(loop.runtime, request);
        this.loop = loop;
        this.store = store;
    }

    @Override
    protected void advance() {
        asks();
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
            finish();
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
                awaitRelease(refused.freeIn().orElse(UNKNOWN_HOLDER));
            } else {
                parkFor(BACKOFF.pause(failures));
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
            parkFor(freeIn);
            return;
        }
        loop.enlist(this);
        var subscribing = store.subscribe(request.key(), this::wake);
        // On the stage itself, not the limited one: a subscription that arrives late must also be closed.
        var adopted = subscribing.thenAccept(this::adopt);
        loop.runtime.timeouts().within(answerLimit(), adopted).whenComplete((done, failure) -> {
            if (failure != null) {
                subscribeFailed(failure);
            } else if (isDone()) {
                finish();
            } else {
                advance();
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
        goOn(() -> parkFor(BACKOFF.pause(failures)));
    }

    private void parkFor(Duration time) {
        loop.enlist(this);
        Duration remaining = request.deadline().remaining();
        park(time.compareTo(remaining) < 0 ? time : untilLastLook(remaining));
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

    @Override
    protected void end() {
        Throwable failure = failure();
        if (failure == null) {
            complete(Optional.empty());
        } else {
            fail(String.valueOf(failure.getMessage()), failure);
        }
        finish();
    }

    @Override
    protected void settle() {
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
                && store.notesWaiters()
                && request.mode() == LockMode.EXCLUSIVE
                && !request.deadline().hasPassed();
    }
}
