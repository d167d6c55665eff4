package io.distlock.engine;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockClient.LockView;
import io.distlock.LockException;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.WaiterInfo;
import io.distlock.engine.PendingAcquisitions.PendingAcquisition;
import io.distlock.support.Futures;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Stream;

final class DefaultLockClient implements LockClient {

    private final ClientContext context;
    private final PendingAcquisitions pending;
    private final LockOptions options;
    private final Duration shutdownTimeout;

    DefaultLockClient(ClientContext context, LockOptions options, Duration shutdownTimeout) {
        this.context = context;
        this.pending = new PendingAcquisitions(context);
        this.options = options;
        this.shutdownTimeout = shutdownTimeout;
    }

    @Override
    public String provider() {
        return context.provider().name();
    }

    @Override
    public LockOptions options() {
        return options;
    }

    @Override
    public void validate(LockOptions options) {
        context.provider().validate(options);
    }

    @Override
    public HeldLock acquire(LockRequest request) {
        RequestListeners watch = RequestListeners.of(request, context);
        requireNoInterrupt(request, watch);
        var acquisition = pending.start(request);
        return await(acquisition, watch).orElseThrow(acquisition::notAcquired);
    }

    @Override
    public Optional<HeldLock> tryAcquire(LockRequest request) {
        RequestListeners watch = RequestListeners.of(request, context);
        requireNoInterrupt(request, watch);
        return await(pending.start(request), watch).map(HeldLock.class::cast);
    }

    private static void requireNoInterrupt(LockRequest request, RequestListeners watch) {
        if (Thread.currentThread().isInterrupted()) {
            throw watch.failed(new LockInterruptedException(request.keys().get(0), Duration.ZERO, null));
        }
    }

    private static Optional<EngineLock> await(PendingAcquisition acquisition, RequestListeners watch) {
        try {
            return watch.answered(acquisition.get());
        } catch (InterruptedException interrupt) {
            acquisition.abandon();
            Thread.currentThread().interrupt();
            throw watch.failed(new LockInterruptedException(acquisition.key(), acquisition.waited(), interrupt));
        } catch (ExecutionException failure) {
            throw watch.failed(asSeenByCaller(failure));
        }
    }

    /** The failure arose on another thread; its stack trace should show the caller. */
    private static RuntimeException asSeenByCaller(Exception failure) {
        if (failure.getCause() instanceof LockException known) {
            known.fillInStackTrace();
            return known;
        }
        return new IllegalStateException("an acquisition failed unexpectedly", failure.getCause());
    }

    @Override
    public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
        CompletableFuture<HeldLock> result = new CompletableFuture<>();
        startAsync(
                request,
                result,
                (acquisition, granted) -> granted.map(result::complete)
                        .orElseGet(() -> result.completeExceptionally(acquisition.notAcquired())));
        return result;
    }

    @Override
    public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
        CompletableFuture<Optional<HeldLock>> result = new CompletableFuture<>();
        startAsync(request, result, (acquisition, granted) -> result.complete(granted.map(HeldLock.class::cast)));
        return result;
    }

    /** Completes the caller's future, on a thread where the caller's code may block. */
    private void startAsync(
            LockRequest request,
            CompletableFuture<?> result,
            BiPredicate<PendingAcquisition, Optional<EngineLock>> taker) {
        RequestListeners watch = RequestListeners.of(request, context);
        var acquisition = pending.start(request);
        // Cancelled or timed out by the caller: stop waiting.
        result.whenComplete((ignored, failure) -> acquisition.cancel(true));
        acquisition.whenComplete((granted, failure) -> {
            Runnable handOver = () -> {
                if (failure != null) {
                    result.completeExceptionally(watch.failed(failure));
                    return;
                }
                Optional<EngineLock> answer = watch.answered(granted);
                if (!taker.test(acquisition, answer)) {
                    granted.ifPresent(EngineLock::giveBack);
                    // Tells those who watch the request.
                    answer.ifPresent(HeldLock::releaseAsync);
                }
            };
            context.callbacks().execute(handOver, refusal -> {
                if (failure == null && granted.isPresent()) {
                    releaseUndelivered(granted.get(), watch, result, refusal);
                } else {
                    handOver.run();
                }
            });
        });
    }

    /** No thread could hand the lock over, so nobody else would ever release it. */
    private static void releaseUndelivered(
            EngineLock held, RequestListeners watch, CompletableFuture<?> result, Throwable refusal) {
        String why = "it was granted, then released: the callback executor rejected the task to deliver it";
        var failure = new LockUnavailableException(held.keys().get(0), Duration.ZERO, why, refusal);
        held.giveBack();
        held.releaseAsync().thenRun(() -> result.completeExceptionally(watch.failed(failure)));
    }

    @Override
    public LockView asLock(LockRequest request) {
        return new DefaultLockView(this, request, this::tryAcquireUninterruptibly);
    }

    private Optional<HeldLock> tryAcquireUninterruptibly(LockRequest request) {
        RequestListeners watch = RequestListeners.of(request, context);
        try {
            return watch.answered(pending.start(request).join()).map(HeldLock.class::cast);
        } catch (CompletionException failure) {
            throw watch.failed(asSeenByCaller(failure));
        }
    }

    @Override
    public boolean isCurrent(Sequencer sequencer) {
        return ask(sequencer.key(), 1, context.provider().isCurrent(sequencer));
    }

    @Override
    public CompletableFuture<Boolean> isCurrentAsync(Sequencer sequencer) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        long started = context.ticker().nanos();
        answer(1, context.provider().isCurrent(sequencer))
                .handleAsync(
                        (current, failure) -> failure == null
                                ? result.complete(current)
                                : result.completeExceptionally(unanswered(sequencer.key(), started, failure)),
                        context.callbacks());
        return result;
    }

    @Override
    public Optional<LockStatus> inspect(LockKey key) {
        return ask(key, 1, context.provider().inspect(key));
    }

    @Override
    public Release forceRelease(LockKey key, FencingToken token) {
        List<CompletableFuture<Release>> here = context.watchdog().held().stream()
                .filter(held ->
                        held.lease().key().equals(key) && held.lease().token().equals(token))
                .map(Watchdog.WatchedLock::forceRelease)
                .toList();
        long started = context.ticker().nanos();
        // A provider may need one call to look and one to take.
        Release release = ask(key, 2, here.isEmpty() ? context.provider().forceRelease(key, token) : here.get(0));
        if (release == Release.UNKNOWN) {
            throw new LockUnavailableException(key, context.since(started), "the store gave no definite answer", null);
        }
        return release;
    }

    private <T> T ask(LockKey key, int callsToTheStore, CompletionStage<T> question) {
        long started = context.ticker().nanos();
        try {
            return answer(callsToTheStore, question).get();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(key, context.since(started), interrupt);
        } catch (ExecutionException failure) {
            throw unanswered(key, started, Objects.requireNonNull(failure.getCause()));
        }
    }

    private <T> CompletableFuture<T> answer(int callsToTheStore, CompletionStage<T> question) {
        Duration limit = context.provider().callTimeout().multipliedBy(callsToTheStore);
        return context.runtime().timeouts().within(limit, question);
    }

    private RuntimeException unanswered(LockKey key, long started, Throwable failure) {
        Throwable cause = Futures.cause(failure);
        if (cause instanceof UnsupportedOperationException || cause instanceof LockUnavailableException) {
            return (RuntimeException) cause;
        }
        return new LockUnavailableException(key, context.since(started), String.valueOf(cause.getMessage()), cause);
    }

    @Override
    public Stream<HeldLockInfo> held() {
        // One time for all, so that sorting by age always gives the order of the grants.
        long now = context.ticker().nanos();
        return context.watchdog().held().stream().flatMap(key -> key.info(now).stream());
    }

    @Override
    public Stream<WaiterInfo> waiting() {
        long now = context.ticker().nanos();
        return pending.calls().map(call -> call.info(now));
    }

    @Override
    public Executor callbacks() {
        return context.callbacks();
    }

    @Override
    public void addListener(LockListener listener) {
        context.listeners().add(Objects.requireNonNull(listener));
    }

    @Override
    public void removeListener(LockListener listener) {
        context.listeners().remove(listener);
    }

    @Override
    public void addRequestListener(Function<LockRequest, LockListener.OfRequest> listener) {
        context.watchers().add(Objects.requireNonNull(listener));
    }

    @Override
    public void close() {
        pending.close();
        // Waits for questions to the store, whose answer may be a grant, for held locks, and for releases under way.
        CompletableFuture<Void> drained = context.openWork().drained();
        Timeouts.await(drained, shutdownTimeout);
        context.watchdog().abandonAll();
        // The provider is closed next, which would abort releases in progress.
        Timeouts.await(drained, context.provider().callTimeout());
        context.callbacks().close(context.provider().callTimeout());
    }
}
