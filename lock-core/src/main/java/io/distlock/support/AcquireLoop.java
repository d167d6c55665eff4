package io.distlock.support;

import io.distlock.LockMode;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The wait loop for stores without a queue. It tries; if refused, it subscribes, unless it had joined a subscription before, and
 * tries again; then it parks until a release is announced, the holder's time to live has passed, or the deadline. While it hears
 * nothing, it tries again every few seconds (see {@link #LONGEST_PAUSE}), and just before the deadline: a store that has died
 * meanwhile is reported as unavailable, not as "held by another". After a failure it retries after a jittered pause. The reaper
 * removes what an acquisition without a grant may have left in the store. Uses no thread of its own. Thread-safe.
 */
public final class AcquireLoop implements AutoCloseable {

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(20), Duration.ofSeconds(1));

    /**
     * A waiter that hears nothing asks again after half of this to all of it, since the connection that carries the messages may
     * fall silent by itself. So a store need not remember for much longer who waits.
     */
    public static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final LockRuntime runtime;
    private final Duration callTimeout;
    private final Function<LeaseRequest, TryLockStore> stores;
    private final Set<Acquisition> waiting = ConcurrentHashMap.newKeySet();
    private final CallsInFlight unsettled = new CallsInFlight();
    private volatile boolean closed;

    public AcquireLoop(LockRuntime runtime, TryLockStore store, Duration callTimeout) {
        this(runtime, request -> store, callTimeout);
    }

    /**
     * @param stores called once for each acquisition, for a store that must remember its earlier tries
     */
    public AcquireLoop(LockRuntime runtime, Function<LeaseRequest, TryLockStore> stores, Duration callTimeout) {
        this.runtime = runtime;
        this.stores = stores;
        this.callTimeout = callTimeout;
    }

    /** As {@link io.distlock.spi.LockProvider#acquire}. */
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        Acquisition acquisition = new Acquisition(request);
        unsettled.begin();
        if (closed) {
            acquisition.failClosed();
        } else {
            acquisition.listen();
            acquisition.advance();
        }
        return acquisition;
    }

    /**
     * Fails all waiting and later acquisitions. Then waits up to two call timeouts for tries in progress and
     * withdrawals, since the connections are closed next.
     */
    @Override
    public void close() {
        closed = true;
        waiting.forEach(Acquisition::failClosed);
        Timeouts.await(unsettled.drained(), callTimeout);
        Timeouts.await(runtime.reaper().asked(), callTimeout);
    }

    /** A store that throws has failed, like one whose stage fails. */
    private static <T> CompletionStage<T> asked(Supplier<CompletionStage<T>> call) {
        try {
            return Objects.requireNonNull(call.get(), "the store's answer");
        } catch (RuntimeException | Error broken) {
            return CompletableFuture.failedFuture(broken);
        }
    }

    /** How many acquisitions were refused or failed once, and are not over. */
    int waiting() {
        return waiting.size();
    }

    /**
     * What an acquisition has learned from its tries.
     *
     * @param mayBeApplied whether the lock may have been granted, unknown to us
     * @param refused whether it was refused at least once
     * @param failures since the store last answered in full
     */
    private record Known(
            boolean mayBeApplied,
            boolean refused,
            int failures,
            @Nullable Throwable ofTheLastTry,
            @Nullable Throwable ofTheSubscription) {

        static final Known NOTHING = new Known(false, false, 0, null, null);

        Known granted(boolean isTaken) {
            return new Known(!isTaken, refused, failures, null, ofTheSubscription);
        }

        Known refused(boolean isSubscribed) {
            boolean inFull = isSubscribed || ofTheSubscription == null;
            return new Known(mayBeApplied, true, inFull ? 0 : failures, null, ofTheSubscription);
        }

        Known failed(TryLockStore.Result.Failed failed, boolean atTheEnd) {
            // A try that the deadline cut short says less than the failure before it.
            boolean isCutShort = atTheEnd && failed.cause() instanceof TimeoutException;
            Throwable cause = isCutShort && ofTheLastTry != null ? ofTheLastTry : failed.cause();
            return new Known(mayBeApplied || failed.mayBeApplied(), refused, failures + 1, cause, ofTheSubscription);
        }

        Known notSubscribed(Throwable failure) {
            return new Known(mayBeApplied, refused, failures + 1, ofTheLastTry, failure);
        }

        /**
         * Why the store has not fully answered, or null. Without a subscription even a late refusal is not a full answer:
         * the key may have been free in between.
         */
        @Nullable
        Throwable failure(boolean isSubscribed) {
            return ofTheLastTry != null || isSubscribed ? ofTheLastTry : ofTheSubscription;
        }
    }

    /** One acquisition. Its fields belong to the current step. */
    private final class Acquisition extends WaitingAcquisition {

        private final TryLockStore store;

        /** Cancelled at the end, so that a later subscription is closed at once. */
        private final CompletableFuture<TryLockStore.Subscription> subscription = new CompletableFuture<>();

        private Known known = Known.NOTHING;

        Acquisition(LeaseRequest request) {
            super(runtime, request);
            this.store = stores.apply(request);
        }

        /** What is released after the first try is announced, if somebody here listens already. */
        void listen() {
            store.join(request.key(), this::wake).ifPresent(subscription::complete);
        }

        @Override
        protected void advance() {
            asks();
            CompletionStage<TryLockStore.Result> tried;
            try {
                tried = Objects.requireNonNull(store.attempt(request, known.mayBeApplied), "the store's answer");
            } catch (RuntimeException | Error broken) {
                tried = CompletableFuture.failedFuture(broken);
            }
            await(tried);
        }

        private void await(CompletionStage<TryLockStore.Result> tried) {
            runtime.timeouts().within(answerLimit(), tried).whenComplete((attempt, failure) -> {
                if (tried instanceof Future<?> future) {
                    // Given up: a driver that blocks need not begin it. No effect on one that has been answered.
                    future.cancel(true);
                }
                answered(failure == null ? attempt : new TryLockStore.Result.Failed(failure, true));
            });
        }

        /** A wait of zero gets a full round trip; any other ends soon after its deadline, whatever the store does. */
        private Duration answerLimit() {
            Duration remaining = request.deadline().remaining();
            if (remaining.isZero()) {
                return callTimeout;
            }
            Duration limit = remaining.plus(lateness());
            return limit.compareTo(callTimeout) < 0 ? limit : callTimeout;
        }

        private void answered(TryLockStore.Result attempt) {
            if (attempt instanceof TryLockStore.Result.Granted granted) {
                known = known.granted(complete(Optional.of(granted.grant())));
                finish();
                return;
            }
            known = attempt instanceof TryLockStore.Result.Failed failed
                    ? known.failed(failed, request.deadline().hasPassed())
                    : known.refused(subscription.isDone());
            Throwable failure = known.failure(subscription.isDone());
            if (failure == null) {
                request.listener().refused();
            } else {
                request.listener().failed(failure);
            }
            goOn(() -> {
                if (attempt instanceof TryLockStore.Result.Refused refused) {
                    awaitRelease(refused.freeIn().orElse(LONGEST_PAUSE));
                } else {
                    parkFor(BACKOFF.pause(known.failures, runtime.random()));
                }
            });
        }

        /** Parks if a release would be announced; otherwise subscribes, and tries again. */
        private void awaitRelease(Duration freeIn) {
            if (subscription.isDone()) {
                parkFor(freeIn);
                return;
            }
            enlist();
            // On the stage itself, not the limited one: a subscription that arrives late must also be closed.
            var adopted =
                    asked(() -> store.subscribe(request.key(), this::wake)).thenAccept(this::adopt);
            runtime.timeouts().within(answerLimit(), adopted).whenComplete((done, failure) -> {
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
            if (subscription.complete(made)) {
                // It may arrive during a try, and what was released since that began was not announced to it.
                wake();
            } else {
                made.close();
            }
        }

        private void subscribeFailed(Throwable failure) {
            Throwable cause = Futures.cause(failure);
            known = known.notSubscribed(cause);
            request.listener().failed(cause);
            goOn(() -> parkFor(BACKOFF.pause(known.failures, runtime.random())));
        }

        private void parkFor(Duration time) {
            enlist();
            Duration remaining = request.deadline().remaining();
            if (time.compareTo(LONGEST_PAUSE) > 0 && storeLooks()) {
                park(untilLastLook(remaining), this::advance);
                return;
            }
            Duration pause = time.compareTo(remaining) < 0 ? time : untilLastLook(remaining);
            long half = LONGEST_PAUSE.toNanos() / 2;
            Duration look = Duration.ofNanos(half + runtime.random().nextLong(half));
            if (pause.compareTo(look) <= 0) {
                park(pause, this::advance);
            } else {
                park(look, this::lookAgain);
            }
        }

        /** Until its first look, a lease that ends within its pause is this waiter's own affair. */
        private boolean storeLooks() {
            return subscription.isDone()
                    && !subscription.isCompletedExceptionally()
                    && subscription.join().looksForWaiters();
        }

        private void lookAgain() {
            subscription.thenAccept(TryLockStore.Subscription::probe);
            advance();
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
            return callTimeout.dividedBy(10);
        }

        @Override
        protected void end() {
            Throwable failure = known.failure(subscription.isDone());
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
            if (known.mayBeApplied || (isCompletedExceptionally() && mayStandAmongTheWaiters())) {
                withdraw();
            }
            waiting.remove(this);
            unsettled.end();
        }

        /** A store may have noted a waiting writer until the deadline; ending earlier must undo that. */
        private boolean mayStandAmongTheWaiters() {
            return known.refused
                    && store.notesWaiters()
                    && request.mode() == LockMode.EXCLUSIVE
                    && !request.deadline().hasPassed();
        }

        /** Called once it was refused or has failed: an uncontended one costs no bookkeeping. */
        private void enlist() {
            waiting.add(this);
            if (closed) {
                failClosed();
            }
        }

        private void withdraw() {
            String what = "An attempt to take '" + request.key() + "' as " + request.owner();
            Duration longest = request.timeToLive().plus(callTimeout);
            runtime.reaper().reap(what, longest, () -> runtime.timeouts().within(callTimeout, store.withdraw(request)));
        }
    }
}
