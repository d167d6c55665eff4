package io.distlock.spring.client;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockHold;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.LockWait;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.engine.LockViews;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.stream.Stream;

/** A client around another, to which all goes; follows each call, and each lock that is granted. Thread-safe. */
public final class FollowedLockClient implements LockClient {

    private final LockClient target;
    private final Function<LockRequest, FollowedCall> follower;

    /**
     * @param follower called for each request on the thread that asks
     */
    public FollowedLockClient(LockClient target, Function<LockRequest, FollowedCall> follower) {
        this.target = target;
        this.follower = follower;
    }

    @Override
    public HeldLock acquire(LockRequest request) {
        FollowedCall call = follower.apply(request);
        try {
            return granted(call, target.acquire(request));
        } catch (LockNotAcquiredException refused) {
            call.refused();
            throw refused;
        } catch (RuntimeException failure) {
            call.failed(failure);
            throw failure;
        }
    }

    @Override
    public Optional<HeldLock> tryAcquire(LockRequest request) {
        FollowedCall call = follower.apply(request);
        Optional<HeldLock> answer;
        try {
            answer = target.tryAcquire(request);
        } catch (RuntimeException failure) {
            call.failed(failure);
            throw failure;
        }
        return answered(call, answer);
    }

    @Override
    public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
        FollowedCall call = follower.apply(request);
        return follow(call, target.acquireAsync(request), held -> granted(call, held), HeldLock::releaseAsync);
    }

    @Override
    public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
        FollowedCall call = follower.apply(request);
        return follow(
                call,
                target.tryAcquireAsync(request),
                answer -> answered(call, answer),
                answer -> answer.ifPresent(HeldLock::releaseAsync));
    }

    private interface GiveBack<T> {

        void accept(T granted);
    }

    private static <T> CompletableFuture<T> follow(
            FollowedCall call, CompletableFuture<T> asked, Function<T, T> answered, GiveBack<T> giveBack) {
        CompletableFuture<T> result = new CompletableFuture<>();
        asked.whenComplete((answer, failure) -> {
            if (failure == null) {
                T followed = answered.apply(answer);
                if (!result.complete(followed)) {
                    giveBack.accept(followed);
                }
                return;
            }
            if (failure instanceof LockNotAcquiredException) {
                call.refused();
            } else {
                call.failed(failure);
            }
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

    private static Optional<HeldLock> answered(FollowedCall call, Optional<HeldLock> answer) {
        if (answer.isEmpty()) {
            call.refused();
        }
        return answer.map(held -> granted(call, held));
    }

    private static HeldLock granted(FollowedCall call, HeldLock held) {
        return new FollowedLock(held, call.granted(held));
    }

    @Override
    public Lock asLock(LockRequest request) {
        return LockViews.of(this, request);
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
    public Optional<LockStatus> inspect(LockKey key) {
        return target.inspect(key);
    }

    @Override
    public Release forceRelease(LockKey key, FencingToken token) {
        return target.forceRelease(key, token);
    }

    @Override
    public Stream<LockHold> held() {
        return target.held();
    }

    @Override
    public Stream<LockWait> waiting() {
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
}
