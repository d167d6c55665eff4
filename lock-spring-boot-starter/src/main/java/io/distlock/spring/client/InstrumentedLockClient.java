package io.distlock.spring.client;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockClient.LockView;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.WaiterInfo;
import io.distlock.engine.ReentrantLockView;
import io.distlock.spring.execution.DelegatingHeldLock;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Delegates to another client, and notifies listeners of how each call and each granted lock ends: one for each request,
 * asked for on the caller's thread. Thread-safe.
 */
public record InstrumentedLockClient(LockClient target, Function<LockRequest, CallListener> listeners)
        implements LockClient {

    /** Notified once of how one call for a lock ends. Must not throw. */
    public interface CallListener {

        /** The lock was granted; returns the listener for the time it is held. */
        HoldListener granted(HeldLock held);

        /** Others held it for the whole wait time. */
        default void notAcquired() {}

        /** The store did not answer, or the caller gave up. */
        default void failed(Throwable cause) {}
    }

    /** Notified once of how one held lock ends. Must not throw. */
    public interface HoldListener {

        void released(Release outcome);

        void lost(LockLoss loss);
    }

    @Override
    public HeldLock acquire(LockRequest request) {
        CallListener call = listeners.apply(request);
        return granted(call, answer(call, () -> target.acquire(request)));
    }

    @Override
    public Optional<HeldLock> tryAcquire(LockRequest request) {
        CallListener call = listeners.apply(request);
        return answered(call, answer(call, () -> target.tryAcquire(request)));
    }

    private static <T> T answer(CallListener call, Supplier<T> question) {
        try {
            return question.get();
        } catch (RuntimeException failure) {
            failed(call, failure);
            throw failure;
        }
    }

    private static void failed(CallListener call, Throwable failure) {
        if (failure instanceof LockNotAcquiredException) {
            call.notAcquired();
        } else {
            call.failed(failure);
        }
    }

    @Override
    public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
        CallListener call = listeners.apply(request);
        return instrumented(call, target.acquireAsync(request), held -> granted(call, held), HeldLock::releaseAsync);
    }

    @Override
    public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
        CallListener call = listeners.apply(request);
        return instrumented(
                call,
                target.tryAcquireAsync(request),
                answer -> answered(call, answer),
                answer -> answer.ifPresent(HeldLock::releaseAsync));
    }

    private static <T> CompletableFuture<T> instrumented(
            CallListener call, CompletableFuture<T> asked, Function<T, T> answered, Consumer<T> release) {
        CompletableFuture<T> result = new CompletableFuture<>();
        asked.whenComplete((answer, failure) -> {
            if (failure == null) {
                T instrumented = answered.apply(answer);
                if (!result.complete(instrumented)) {
                    release.accept(instrumented);
                }
                return;
            }
            failed(call, failure);
            result.completeExceptionally(failure);
        });
        // Cancelled or timed out by the caller: stop waiting.
        result.whenComplete((answer, failure) -> {
            if (failure != null) {
                asked.cancel(true);
            }
        });
        return result;
    }

    private static Optional<HeldLock> answered(CallListener call, Optional<HeldLock> answer) {
        if (answer.isEmpty()) {
            call.notAcquired();
        }
        return answer.map(held -> granted(call, held));
    }

    private static HeldLock granted(CallListener call, HeldLock held) {
        return new InstrumentedLock(held, call.granted(held));
    }

    @Override
    public LockView asLock(LockRequest request) {
        return ReentrantLockView.of(this, request);
    }

    @Override
    public String provider() {
        return target.provider();
    }

    @Override
    public LockOptions options() {
        return target.options();
    }

    @Override
    public void validate(LockOptions options) {
        target.validate(options);
    }

    @Override
    public boolean isCurrent(Sequencer sequencer) {
        return target.isCurrent(sequencer);
    }

    @Override
    public CompletableFuture<Boolean> isCurrentAsync(Sequencer sequencer) {
        return target.isCurrentAsync(sequencer);
    }

    @Override
    public Optional<LockStatus> inspect(LockKey key) {
        return target.inspect(key);
    }

    @Override
    public Release forceRelease(LockKey key, FencingToken token) {
        return target.forceRelease(key, token);
    }

    @Override
    public Stream<HeldLockInfo> held() {
        return target.held();
    }

    @Override
    public Stream<WaiterInfo> waiting() {
        return target.waiting();
    }

    @Override
    public void addListener(LockListener listener) {
        target.addListener(listener);
    }

    @Override
    public void removeListener(LockListener listener) {
        target.removeListener(listener);
    }

    @Override
    public void close() {
        target.close();
    }

    /** Delegates to another lock, and notifies a listener of how it ends. Thread-safe. */
    static final class InstrumentedLock extends DelegatingHeldLock {

        private final HoldListener listener;
        private final AtomicBoolean ended = new AtomicBoolean();

        InstrumentedLock(HeldLock target, HoldListener listener) {
            super(target);
            this.listener = listener;
            target.onLost(loss -> {
                if (ended.compareAndSet(false, true)) {
                    listener.lost(loss);
                }
            });
        }

        /** A release that comes too late counts as a loss. */
        private Release released(Release outcome) {
            if (outcome != Release.NOT_OWNER && ended.compareAndSet(false, true)) {
                listener.released(outcome);
            }
            return outcome;
        }

        @Override
        public Release release() {
            return released(target.release());
        }

        @Override
        public CompletionStage<Release> releaseAsync() {
            return target.releaseAsync().thenApply(this::released);
        }

        /** Releases first for the outcome; releasing again is harmless. */
        @Override
        public void close() {
            release();
            target.close();
        }
    }
}
