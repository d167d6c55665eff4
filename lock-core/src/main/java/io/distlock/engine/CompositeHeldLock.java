package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.Sequencer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Several locks as one: held while all are, lost with the first, exclusive if all are. Thread-safe. */
public final class CompositeHeldLock implements HeldLock {

    private final List<HeldLock> parts;
    private final Executor callbacks;

    /** Created on demand: a long-held part must not retain every composite. */
    private final AtomicReference<LockState.@Nullable LossSignal> lost = new AtomicReference<>();

    CompositeHeldLock(List<? extends HeldLock> parts, Executor callbacks) {
        // A call may enter one lock by several of its keys. Equal grants of two providers are two.
        this.parts = parts.stream().distinct().map(HeldLock.class::cast).toList();
        this.callbacks = callbacks;
    }

    /**
     * The locks as one lock, which releases all of them at the same time. For clients that delegate to another.
     *
     * @param locks one or more
     * @param callbacks runs dependents of {@link #lost()} and {@link #releaseAsync()}, which may block
     */
    public static HeldLock of(List<? extends HeldLock> locks, Executor callbacks) {
        if (locks.isEmpty()) {
            throw new IllegalArgumentException("no locks: a composite consists of one or more");
        }
        return new CompositeHeldLock(locks, callbacks);
    }

    @Override
    public List<LockKey> keys() {
        return sequencers().stream().map(Sequencer::key).distinct().toList();
    }

    @Override
    public LockMode mode() {
        return parts.stream().allMatch(part -> part.mode() == LockMode.EXCLUSIVE)
                ? LockMode.EXCLUSIVE
                : LockMode.SHARED;
    }

    @Override
    public List<Sequencer> sequencers() {
        return parts.stream()
                .flatMap(part -> part.sequencers().stream())
                .sorted(Comparator.comparing(Sequencer::key))
                .toList();
    }

    @Override
    public boolean isHeld() {
        return parts.stream().allMatch(HeldLock::isHeld);
    }

    @Override
    public Duration remaining() {
        return parts.stream()
                .map(HeldLock::remaining)
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public void ensureHeld() {
        parts.forEach(HeldLock::ensureHeld);
    }

    @Override
    public Duration extend(Duration leaseTime, Duration minHoldTime) {
        // All are asked before the first answer: none expires while others are waited for.
        parts.stream()
                .map(part -> startExtension(part, leaseTime, minHoldTime))
                .toList()
                .forEach(Runnable::run);
        return remaining();
    }

    private static Runnable startExtension(HeldLock part, Duration leaseTime, Duration minHoldTime) {
        if (part instanceof RequestListeners.WatchedLock watched) {
            return startExtension(watched.target, leaseTime, minHoldTime);
        }
        return part instanceof DefaultHeldLock granted
                ? LeaseExtension.start(granted, leaseTime, minHoldTime)
                : () -> part.extend(leaseTime, minHoldTime);
    }

    @Override
    public CompletionStage<LockLoss> lost() {
        return signal().stage();
    }

    @Override
    public void onLost(Consumer<LockLoss> action) {
        signal().onLost(action);
    }

    private LockState.LossSignal signal() {
        LockState.LossSignal first = new LockState.LossSignal(callbacks);
        if (lost.compareAndSet(null, first)) {
            parts.forEach(part -> part.onLost(first::fire));
        }
        return Objects.requireNonNull(lost.get());
    }

    @Override
    public Release release() {
        startRelease();
        // Each waits for its own answer and not for a callback, whose executor may be waiting for this call.
        return parts.stream().map(HeldLock::release).reduce(Release.RELEASED, CompositeHeldLock::worse);
    }

    @Override
    public CompletionStage<Release> releaseAsync() {
        return startRelease().thenApplyAsync(release -> release, callbacks);
    }

    CompletableFuture<Release> startRelease() {
        return release(CompositeHeldLock::startRelease);
    }

    /** All at once; returns the worst answer. */
    private CompletableFuture<Release> release(Function<HeldLock, CompletionStage<Release>> each) {
        CompletableFuture<Release> worst = CompletableFuture.completedFuture(Release.RELEASED);
        for (int last = parts.size() - 1; last >= 0; last--) {
            worst = worst.thenCombine(each.apply(parts.get(last)), CompositeHeldLock::worse);
        }
        return worst;
    }

    /** Skips the callback if the engine itself granted the lock. */
    static CompletionStage<Release> startRelease(HeldLock lock) {
        if (lock instanceof CompositeHeldLock several) {
            return several.startRelease();
        }
        return lock instanceof DefaultHeldLock granted ? granted.startRelease() : lock.releaseAsync();
    }

    /** Releases what the engine granted and no caller has got: no minimum hold time applies. */
    static CompletableFuture<Release> giveBack(HeldLock granted) {
        return granted instanceof CompositeHeldLock several
                ? several.release(CompositeHeldLock::giveBack)
                : ((DefaultHeldLock) granted).startRelease(Duration.ZERO);
    }

    private static Release worse(Release one, Release other) {
        if (one == Release.NOT_OWNER || other == Release.NOT_OWNER) {
            return Release.NOT_OWNER;
        }
        return one == Release.UNKNOWN ? one : other;
    }

    /** Releases all before throwing the first loss. */
    @Override
    public void close() {
        release();
        parts.forEach(HeldLock::close);
    }

    @Override
    public String toString() {
        return parts.toString();
    }
}
