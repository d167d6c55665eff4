package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.Sequencer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several locks, taken one by one, as the one lock that an inner call asks for. Held while all are, lost with the
 * first. Thread-safe.
 */
final class CompositeHeldLock implements HeldLock {

    private final List<HeldLock> parts;
    private final List<Sequencer> sequencers;

    /** Created on demand: an outer lock that is held for long must not remember each inner call. */
    private final AtomicReference<@Nullable CompletionStage<LockLoss>> lost = new AtomicReference<>();

    CompositeHeldLock(List<HeldLock> parts) {
        this.parts = List.copyOf(parts);
        this.sequencers = parts.stream()
                .flatMap(part -> part.sequencers().stream())
                .sorted(Comparator.comparing(Sequencer::key))
                .distinct()
                .toList();
    }

    @Override
    public List<LockKey> keys() {
        return sequencers.stream().map(Sequencer::key).toList();
    }

    /** Exclusive if all are. */
    @Override
    public LockMode mode() {
        return parts.stream().allMatch(part -> part.mode() == LockMode.EXCLUSIVE)
                ? LockMode.EXCLUSIVE
                : LockMode.SHARED;
    }

    @Override
    public List<Sequencer> sequencers() {
        return sequencers;
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
    public CompletionStage<LockLoss> lost() {
        CompletableFuture<LockLoss> first = new CompletableFuture<>();
        if (lost.compareAndSet(null, first.minimalCompletionStage())) {
            parts.forEach(part -> part.lost().thenAccept(first::complete));
        }
        return Objects.requireNonNull(lost.get());
    }

    @Override
    public void onLost(Consumer<LockLoss> action) {
        AtomicBoolean notified = new AtomicBoolean();
        parts.forEach(part -> part.onLost(loss -> {
            if (notified.compareAndSet(false, true)) {
                action.accept(loss);
            }
        }));
    }

    @Override
    public Release release() {
        return parts.stream().map(HeldLock::release).reduce(Release.RELEASED, worse());
    }

    @Override
    public CompletionStage<Release> releaseAsync() {
        CompletionStage<Release> worst = CompletableFuture.completedFuture(Release.RELEASED);
        for (HeldLock part : parts) {
            worst = worst.thenCombine(part.releaseAsync(), worse());
        }
        return worst;
    }

    private static BinaryOperator<Release> worse() {
        return BinaryOperator.maxBy(Comparator.comparing(CompositeHeldLock::badness));
    }

    private static int badness(Release release) {
        return switch (release) {
            case RELEASED -> 0;
            case UNKNOWN -> 1;
            case NOT_OWNER -> 2;
        };
    }

    @Override
    public void close() {
        List<LockLostException> losses = new ArrayList<>();
        for (HeldLock part : parts) {
            try {
                part.close();
            } catch (LockLostException loss) {
                losses.add(loss);
            }
        }
        if (!losses.isEmpty()) {
            throw losses.get(0);
        }
    }

    @Override
    public String toString() {
        return parts.toString();
    }
}
