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
import org.jspecify.annotations.Nullable;

/** Several keys that are held together: held while all are, lost with the first. */
final class CompositeHeldLock implements HeldLock {

    private final ClientContext context;
    private final List<DefaultHeldLock> held;
    private final AtomicReference<LockState.@Nullable LossSignal> lost = new AtomicReference<>();

    CompositeHeldLock(ClientContext context, List<DefaultHeldLock> held) {
        this.context = context;
        this.held = List.copyOf(held);
    }

    @Override
    public List<LockKey> keys() {
        return held.stream().flatMap(each -> each.keys().stream()).toList();
    }

    @Override
    public LockMode mode() {
        return held.get(0).mode();
    }

    @Override
    public List<Sequencer> sequencers() {
        return held.stream().flatMap(each -> each.sequencers().stream()).toList();
    }

    @Override
    public boolean isHeld() {
        return held.stream().allMatch(DefaultHeldLock::isHeld);
    }

    @Override
    public Duration remaining() {
        return held.stream()
                .map(DefaultHeldLock::remaining)
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public void ensureHeld() {
        held.forEach(DefaultHeldLock::ensureHeld);
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
        LockState.LossSignal first = new LockState.LossSignal(context.callbacks());
        if (lost.compareAndSet(null, first)) {
            held.forEach(each -> each.onLost(first::fire));
        }
        return Objects.requireNonNull(lost.get());
    }

    @Override
    public Release release() {
        return startRelease().join();
    }

    @Override
    public CompletionStage<Release> releaseAsync() {
        return startRelease().thenApplyAsync(release -> release, context.callbacks());
    }

    /** All at once; the answer is the worst of them. */
    CompletableFuture<Release> startRelease() {
        CompletableFuture<Release> worst = CompletableFuture.completedFuture(Release.RELEASED);
        for (int last = held.size() - 1; last >= 0; last--) {
            worst = worst.thenCombine(held.get(last).startRelease(), CompositeHeldLock::worse);
        }
        return worst;
    }

    private static Release worse(Release one, Release other) {
        if (one == Release.NOT_OWNER || other == Release.NOT_OWNER) {
            return Release.NOT_OWNER;
        }
        return one == Release.UNKNOWN ? one : other;
    }

    /** All are released before the first loss is thrown. */
    @Override
    public void close() {
        release();
        held.forEach(DefaultHeldLock::close);
    }

    @Override
    public String toString() {
        return held.toString();
    }
}
