package io.distlock.spring.execution;

import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.spi.Ticker;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The locks of one call, in the order in which it takes them: {@link LockTask#ordered}. Each wait time
 * counts from the beginning of the call, so that the call waits no longer than the longest of them. For one call, whose
 * steps run in sequence.
 */
final class LockSequence {

    private final List<LockTask> tasks;
    private final Supplier<Ticker> ticker;
    private final long startedNanos;
    private List<Reference> references = List.of();
    private int taken;

    /** Begins now. Gets the ticker only if there are several locks. */
    LockSequence(List<LockTask> tasks, Supplier<Ticker> ticker) {
        this.tasks = tasks;
        this.ticker = ticker;
        this.startedNanos = tasks.size() > 1 ? ticker.get().nanos() : 0;
    }

    boolean hasNext() {
        return taken < tasks.size();
    }

    /**
     * The next lock to take, with what is left of its wait time.
     *
     * @throws LockLostException if one of those before it is lost: there is no use in waiting for more
     */
    LockTask next() {
        ensureHeld();
        LockTask task = tasks.get(taken++);
        return taken == 1 ? task : task.waitedFor(Duration.ofNanos(ticker.get().nanos() - startedNanos));
    }

    /** Records locks that were granted or entered. Returns what the call then holds inside the outer ones. */
    HeldLocks granted(List<Reference> granted, HeldLocks outer) {
        references = references.isEmpty()
                ? granted
                : Stream.concat(references.stream(), granted.stream()).toList();
        return outer.with(granted, references.size());
    }

    /** The locks that were granted or entered so far. */
    List<ReferenceCountedLock> taken() {
        return references.stream().map(Reference::target).toList();
    }

    void ensureHeld() {
        // Without an iterator: this is asked in each call.
        for (int at = 0; at < references.size(); at++) {
            references.get(at).lock().ensureHeld();
        }
    }

    /** Reports the loss of a lock that was taken for this call. */
    void onLoss(Consumer<LockLoss> action) {
        for (Reference each : references) {
            if (each.isOutermost()) {
                each.lock().lost().thenAccept(action);
            }
        }
    }

    /**
     * Right before the body: hands the locks to the enclosing scope, which keeps none if a later one is not acquired. A
     * lock that was entered again may be kept by another scope, around this one.
     *
     * @throws LockLostException if a lock was lost while the call waited for another, or for a thread
     */
    void begin(EnclosingScope scope) {
        ensureHeld();
        for (Reference each : references) {
            if (!scope.kept().contains(each.target())) {
                scope.keep(each.target());
            }
        }
    }
}
