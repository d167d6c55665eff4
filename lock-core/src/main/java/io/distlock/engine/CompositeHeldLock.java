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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Several locks as one: held while all are, lost with the first, exclusive if all are. Thread-safe. */
public final class CompositeHeldLock extends EngineLock {

    private final List<EngineLock> parts;

    /** Created on demand: a long-held part must not retain every composite. */
    private final AtomicReference<LockState.@Nullable LossSignal> lost = new AtomicReference<>();

    CompositeHeldLock(List<EngineLock> parts) {
        super(parts.stream()
                .map(part -> part.callbacks)
                .filter(callbacks -> callbacks != THERE)
                .findFirst()
                .orElse(THERE));
        // A call may enter one lock by several of its keys. Equal grants of two providers are two.
        this.parts = parts.stream().distinct().toList();
    }

    /**
     * One or more locks as one, which releases all of them at the same time. For clients that delegate to another.
     */
    public static HeldLock of(List<? extends HeldLock> locks) {
        if (locks.isEmpty()) {
            throw new IllegalArgumentException("no locks: a composite consists of one or more");
        }
        return new CompositeHeldLock(locks.stream().map(EngineLock::of).toList());
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

    /** All are asked before the first answer: none expires while others are waited for. */
    @Override
    Runnable startExtension(Duration leaseTime, Duration minHoldTime) {
        List<Runnable> answers = parts.stream()
                .map(part -> part.startExtension(leaseTime, minHoldTime))
                .toList();
        return () -> answers.forEach(Runnable::run);
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
    CompletableFuture<Release> startRelease() {
        return all(EngineLock::startRelease);
    }

    @Override
    CompletableFuture<Release> giveBack() {
        return all(EngineLock::giveBack);
    }

    /** All at once; returns the worst answer. */
    private CompletableFuture<Release> all(Function<EngineLock, CompletableFuture<Release>> end) {
        CompletableFuture<Release> worst = CompletableFuture.completedFuture(Release.RELEASED);
        for (int last = parts.size() - 1; last >= 0; last--) {
            worst = worst.thenCombine(end.apply(parts.get(last)), CompositeHeldLock::worse);
        }
        return worst;
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
