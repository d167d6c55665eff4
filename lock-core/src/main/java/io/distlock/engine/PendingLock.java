package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Several keys on their way, one after the other in canonical order (so that two requests cannot hold what the
 * other waits for), under one deadline. Ends with all of them or with none.
 */
final class PendingLock extends PendingAcquisition<HeldLock> {

    private final Engine engine;
    private final PendingKeys pending;
    private final LockRequest request;
    private final Deadline deadline;
    private final String asker;
    private final long startedNanos;

    // Touched by one step at a time; each begins after the one before it ended.
    private final List<HeldKey> held = new ArrayList<>();
    private volatile @Nullable PendingKey current;

    PendingLock(Engine engine, PendingKeys pending, LockRequest request, Deadline deadline, String asker) {
        this.engine = engine;
        this.pending = pending;
        this.request = request;
        this.deadline = deadline;
        this.asker = asker;
        this.startedNanos = engine.ticker().nanos();
    }

    /** Takes the next keys. A loop and not a recursion: answers may be there at once, a thousand times. */
    void advance() {
        while (held.size() < request.keys().size()) {
            LockKey key = request.keys().get(held.size());
            PendingKey next = pending.start(key, request.mode(), request.options(), deadline, asker);
            current = next;
            if (isDone()) {
                next.cancel(true);
            }
            if (!next.isDone()) {
                next.whenComplete((answer, failure) -> {
                    if (keep(next)) {
                        advance();
                    }
                });
                return;
            }
            if (!keep(next)) {
                return;
            }
        }
        finish();
    }

    /** True if the key was granted; otherwise everything is over. */
    private boolean keep(PendingKey done) {
        if (done.isCompletedExceptionally()) {
            giveBack();
            done.exceptionally(failure -> {
                completeExceptionally(failure);
                return Optional.empty();
            });
            return false;
        }
        Optional<HeldKey> answer = done.join();
        if (answer.isEmpty()) {
            // Before the caller hears of it: its next attempt must not find this one at the gates.
            giveBack().thenRun(() -> complete(Optional.empty()));
            return false;
        }
        held.add(answer.get());
        return true;
    }

    private void finish() {
        HeldKeys all = new HeldKeys(engine, held);
        if (!all.isHeld()) {
            // Before they are given back, or each of them would seem lost.
            LockKey lost = lostKey();
            giveBack();
            completeExceptionally(new LockUnavailableException(
                    lost,
                    engine.since(startedNanos),
                    "one of " + held.size() + " keys was lost while waiting for the others",
                    null));
        } else if (!complete(Optional.of(all))) {
            giveBack();
        }
    }

    private LockKey lostKey() {
        return held.stream()
                .filter(each -> !each.isHeld())
                .findFirst()
                .map(each -> each.lease().key())
                .orElse(request.keys().get(0));
    }

    @Override
    LockKey key() {
        PendingKey step = current;
        return step == null ? request.keys().get(0) : step.key();
    }

    /** All at once; ends within one call to the store, and never fails. */
    private CompletableFuture<Void> giveBack() {
        CompletableFuture<?>[] releases =
                held.stream().map(HeldKey::startRelease).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(releases);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        PendingKey step = current;
        if (cancelled && step != null) {
            // Its end is this one's next step, which gives back what was taken before.
            step.cancel(true);
        }
        return cancelled;
    }
}
