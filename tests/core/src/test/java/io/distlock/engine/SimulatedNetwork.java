package io.distlock.engine;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Carries messages between processes and the store: late, in any order, or not at all. */
final class SimulatedNetwork {

    final SimulatedStore store;
    private final VirtualTime time;
    private SimulatedFaults faults;
    private final Set<SimulatedProcess> cut = new LinkedHashSet<>();
    private final Set<SimulatedProcess> stalled = new LinkedHashSet<>();

    /** A failure that the driver reports; a message that is lost silently has no answer at all. */
    static final class Broken extends RuntimeException {

        private static final long serialVersionUID = 1;

        /** Whether the store may have executed the command. */
        final boolean sent;

        Broken(boolean sent) {
            super(sent ? "connection lost" : "not connected", null, false, false);
            this.sent = sent;
        }
    }

    SimulatedNetwork(VirtualTime time, SimulatedFaults faults, SimulatedStore store) {
        this.time = time;
        this.faults = faults;
        this.store = store;
    }

    /** Sends a command to the store, and its answer back. */
    <T> CompletableFuture<T> call(SimulatedProcess from, String what, Supplier<T> command) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        if (cut.contains(from) && time.oneIn(2)) {
            reply.completeExceptionally(new Broken(false));
            return reply;
        }
        time.after(delay(), () -> {
            if (isLost(from)) {
                lose(from, what, reply);
                return;
            }
            T answer = command.get();
            if (isLost(from)) {
                lose(from, "the answer to " + what, reply);
            } else {
                time.after(delay(), () -> from.run(() -> reply.complete(answer)));
            }
        });
        return reply;
    }

    private void lose(SimulatedProcess from, String what, CompletableFuture<?> reply) {
        time.note(from.name, "loses " + what);
        if (time.oneIn(2)) {
            time.after(delay(), () -> from.run(() -> reply.completeExceptionally(new Broken(true))));
        }
    }

    /**
     * Sends news to a process. News that are lost break the connection: when it is there again, the process looks for what it
     * missed.
     */
    void announce(SimulatedProcess to, Runnable news) {
        if (stalled.contains(to)) {
            time.note(to.name, "is not told of a release");
        } else if (!isLost(to)) {
            time.after(delay(), () -> to.run(news));
        } else if (!cut.contains(to)) {
            time.after(time.millis(50, 500), () -> to.run(to.provider::reconnected));
        }
    }

    /** The connection for news falls silent, and nobody notices. */
    void stall(SimulatedProcess process) {
        if (stalled.add(process)) {
            time.note(process.name, "has a silent connection for news");
        }
    }

    /** Sends something on the connection for news: if it is silent, that is noticed after a while, and it is replaced. */
    void probe(SimulatedProcess process) {
        if (stalled.contains(process)) {
            time.after(SimulatedProvider.CALL_TIMEOUT.multipliedBy(2).toNanos(), () -> {
                if (stalled.remove(process)) {
                    time.note(process.name, "has a new connection for news");
                    process.run(process.provider::reconnected);
                }
            });
        }
    }

    /** Subscribes; the confirmation may come so late that nobody waits for it any more. */
    <T> CompletableFuture<T> subscribe(SimulatedProcess process, String what, Supplier<T> command) {
        probe(process);
        CompletableFuture<T> confirmed = call(process, what, command);
        if (faults.stalls() && time.oneIn(3)) {
            CompletableFuture<T> late = new CompletableFuture<>();
            long delay = time.millis(0, SimulatedProvider.CALL_TIMEOUT.toMillis() * 3 / 2);
            confirmed.whenComplete((done, failure) -> time.after(
                    delay,
                    () -> process.run(() -> {
                        if (failure == null) {
                            late.complete(done);
                        } else {
                            late.completeExceptionally(failure);
                        }
                    })));
            return late;
        }
        return confirmed;
    }

    private boolean isLost(SimulatedProcess process) {
        return cut.contains(process) || (faults.lost() > 0 && time.oneIn(faults.lost()));
    }

    private long delay() {
        return time.millis(0, time.oneIn(10) ? faults.slowestMillis() : 8);
    }

    void cut(SimulatedProcess process, long nanos) {
        if (cut.add(process)) {
            time.note(process.name, "is cut off");
            time.after(nanos, () -> heal(process));
        }
    }

    private void heal(SimulatedProcess process) {
        if (cut.remove(process)) {
            time.note(process.name, "is connected again");
            process.run(process.provider::reconnected);
        }
    }

    /** From here on, everything arrives within milliseconds. */
    void heal() {
        faults = SimulatedFaults.NONE;
        List.copyOf(cut).forEach(this::heal);
        List.copyOf(stalled).forEach(this::probe);
    }
}
