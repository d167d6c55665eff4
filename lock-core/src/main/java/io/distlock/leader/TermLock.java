package io.distlock.leader;

import io.distlock.HeldLock;
import io.distlock.LockLoss;
import io.distlock.Release;
import io.distlock.engine.DelegatingHeldLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a term, as one piece of work in it sees it. It has listeners of its own, which go with it: the lock itself may
 * be held for months. Thread-safe.
 */
final class TermLock extends DelegatingHeldLock {

    private final CompletableFuture<LockLoss> loss = new CompletableFuture<>();
    private final CompletionStage<LockLoss> lost;
    private final Function<TermLock, Release> leave;
    private final AtomicReference<@Nullable CompletableFuture<Release>> left = new AtomicReference<>();

    TermLock(HeldLock lock, Executor callbacks, Function<TermLock, Release> leave) {
        super(lock);
        this.lost = loss.minimalCompletionStage().thenApplyAsync(known -> known, callbacks);
        this.leave = leave;
    }

    void lost(LockLoss news) {
        loss.complete(news);
    }

    @Override
    public boolean isHeld() {
        return left.get() == null && target.isHeld();
    }

    @Override
    public Duration remaining() {
        return left.get() == null ? target.remaining() : Duration.ZERO;
    }

    @Override
    public void ensureHeld() {
        target.ensureHeld();
        if (left.get() != null) {
            throw new IllegalStateException("this work in the term of " + keys() + " is over: enter the term again");
        }
    }

    @Override
    public CompletionStage<LockLoss> lost() {
        return lost;
    }

    @Override
    public void onLost(Consumer<LockLoss> action) {
        loss.thenAccept(action);
    }

    @Override
    public Release release() {
        CompletableFuture<Release> mine = new CompletableFuture<>();
        CompletableFuture<Release> first = left.compareAndExchange(null, mine);
        if (first == null) {
            mine.complete(leave.apply(this));
        }
        return (first == null ? mine : first).join();
    }

    @Override
    public CompletionStage<Release> releaseAsync() {
        return CompletableFuture.completedFuture(release());
    }

    @Override
    public void close() {
        if (release() == Release.NOT_OWNER) {
            target.ensureHeld();
        }
    }
}
