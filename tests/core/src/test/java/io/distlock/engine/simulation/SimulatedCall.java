package io.distlock.engine.simulation;

import io.distlock.HeldLock;
import io.distlock.LockException;
import io.distlock.LockRequest;
import io.distlock.Sequencer;
import io.distlock.engine.SimulatedClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One request and, if it is granted, what its user does with the lock: extends it, releases it, or forgets it. */
final class SimulatedCall {

    final SimulatedProcess process;
    final LockRequest request;
    private final String name;
    private final VirtualTime time;
    private final SimulationChecks checks;
    private final long started;
    private final long pausedBefore;
    private CompletableFuture<Optional<HeldLock>> answer = new CompletableFuture<>();
    private Optional<HeldLock> lock = Optional.empty();
    private boolean releasing;

    SimulatedCall(
            String name, SimulatedProcess process, LockRequest request, VirtualTime time, SimulationChecks checks) {
        this.name = process + name;
        this.process = process;
        this.request = request;
        this.time = time;
        this.checks = checks;
        this.started = process.nanos();
        this.pausedBefore = process.pausedNanos();
    }

    void start() {
        time.note(
                name,
                "asks for " + request.keys() + " " + request.mode() + " " + request.options()
                        + (request.permits() > 1 ? " any of " + request.permits() : ""));
        answer = process.client.tryAcquireAsync(request);
        answer.whenComplete(
                (granted, failure) -> time.check(() -> ended(failure == null ? granted : Optional.empty(), failure)));
        if (time.oneIn(8)) {
            after(0, 1_000, () -> answer.cancel(true));
        }
    }

    private void ended(Optional<HeldLock> granted, @Nullable Throwable failure) {
        time.note(name, failure == null ? "gets " + granted : "fails: " + failure);
        checks.ended(this, failure);
        if (granted.isPresent()) {
            lock = granted;
            checks.permitted(request, granted.get());
            checks.granted(this);
            after(0, time.oneIn(5) ? longUse() : 300, this::use);
        }
    }

    private void after(long least, long most, Runnable action) {
        time.after(time.millis(least, most), () -> process.run(action));
    }

    private long longUse() {
        return Math.max(4_000, request.options().leaseTime().toMillis() / 2);
    }

    private void use() {
        if (!request.options().renew() && time.oneIn(2)) {
            extend(Duration.ofNanos(time.millis(100, 3_000)));
            after(0, 1_000, this::use);
        } else if (!time.oneIn(12)) {
            release();
        }
    }

    /** Without waiting for the answer. */
    private void extend(Duration leaseTime) {
        time.note(name, "extends its lock");
        for (HeldLock part : process.heldLocks()) {
            if (sequencers().containsAll(part.sequencers())) {
                try {
                    SimulatedClient.extend(part, leaseTime);
                } catch (LockException | IllegalStateException over) {
                    time.note(name, "cannot: " + over.getMessage());
                }
            }
        }
    }

    void release() {
        if (lock.isPresent() && !releasing) {
            time.note(name, "releases its lock");
            releasing = true;
            lock.get().releaseAsync().thenAccept(outcome -> time.note(name, "has released it: " + outcome));
        }
    }

    List<Sequencer> sequencers() {
        return lock.map(HeldLock::sequencers).orElse(List.of());
    }

    boolean isHeld() {
        return lock.filter(HeldLock::isHeld).isPresent();
    }

    boolean isReleasing() {
        return releasing;
    }

    boolean hasEnded() {
        return answer.isDone();
    }

    /** By the clock of its process, which may have been paused meanwhile. */
    Duration late() {
        return waited().minus(request.options().waitTime());
    }

    Duration waited() {
        long paused = process.pausedNanos() - pausedBefore;
        return Duration.ofNanos(process.nanos() - started - paused);
    }

    @Override
    public String toString() {
        return name;
    }
}
