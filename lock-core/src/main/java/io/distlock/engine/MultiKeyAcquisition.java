package io.distlock.engine;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.PendingAcquisitions.PendingAcquisition;
import io.distlock.spi.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The acquisition of several keys, one after the other in canonical order (so that two requests cannot
 * deadlock), under one deadline. Gets all of them or none.
 */
final class MultiKeyAcquisition extends PendingAcquisition {

    // Touched by one step at a time; each begins after the previous one ended.
    private final List<HeldLock> held = new ArrayList<>();
    private volatile @Nullable KeyAcquisition current;

    MultiKeyAcquisition(PendingAcquisitions pending, LockRequest request, Deadline deadline, String asker) {
        super(pending, request, deadline, asker);
    }

    /** Takes the next keys. Iterative: answers may be immediate, and a request has up to a thousand keys. */
    void advance() {
        while (held.size() < request.keys().size()) {
            LockKey key = request.keys().get(held.size());
            KeyAcquisition next = pending.start(key, request, deadline, asker);
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

    private boolean keep(KeyAcquisition done) {
        if (done.isCompletedExceptionally()) {
            releaseAll();
            done.whenComplete((none, failure) -> completeExceptionally(failure));
            return false;
        }
        Optional<HeldLock> answer = done.join();
        if (answer.isEmpty()) {
            // Before the caller is notified: its next attempt must not find this one in the queues.
            releaseAll().thenRun(() -> complete(Optional.empty()));
            return false;
        }
        held.add(answer.get());
        return true;
    }

    private void finish() {
        // Looked for before they are released, or each of them would seem lost.
        var lost = held.stream().filter(each -> !each.isHeld()).findFirst();
        if (lost.isPresent() || !complete(Optional.of(new CompositeHeldLock(held, context.callbacks())))) {
            releaseAll();
        }
        String why = "one of " + held.size() + " keys was lost while waiting for the others";
        lost.ifPresent(each ->
                completeExceptionally(new LockUnavailableException(each.keys().get(0), waited(), why, null)));
    }

    @Override
    LockKey key() {
        KeyAcquisition step = current;
        return step == null ? request.keys().get(0) : step.key();
    }

    /** All at once; ends within one call to the store, and never fails. */
    private CompletableFuture<Release> releaseAll() {
        return new CompositeHeldLock(held, context.callbacks()).startRelease();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        KeyAcquisition step = current;
        if (cancelled && step != null) {
            // When it ends, our next step releases the keys taken before.
            step.cancel(true);
        }
        return cancelled;
    }
}
