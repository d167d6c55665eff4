package io.distlock.engine.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Carries messages between processes and the store: late, in any order, or not at all. */
final class SimulatedNetwork {

    final SimulatedStore store;
    final WaitingWriters writers;
    private final VirtualTime time;
    private SimulatedFaults faults;
    private final Set<SimulatedProcess> cut = new LinkedHashSet<>();
    private final Set<SimulatedProcess> stalled = new LinkedHashSet<>();
    private final Map<SimulatedProcess, List<Message>> held = new LinkedHashMap<>();

    /** What a connection holds back: it arrives in the end, or is lost with the connection. */
    private record Message(Runnable arrives, Runnable lost) {}

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
        this.writers = new WaitingWriters(time, store);
    }

    /** Sends a command to the store, and its answer back. */
    <T> CompletableFuture<T> call(SimulatedProcess from, String what, Supplier<T> command) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        if (cut.contains(from) && time.oneIn(2)) {
            reply.completeExceptionally(new Broken(false));
            return reply;
        }
        send(from, what, reply, () -> {
            T answer = command.get();
            send(from, "the answer to " + what, reply, () -> from.run(() -> reply.complete(answer)));
        });
        return reply;
    }

    private void send(SimulatedProcess from, String what, CompletableFuture<?> reply, Runnable arrival) {
        if (isLost(from)) {
            lose(from, what, reply);
        } else {
            time.after(delay(), () -> carry(from, new Message(arrival, () -> lose(from, what, reply))));
        }
    }

    private void carry(SimulatedProcess process, Message message) {
        List<Message> before = held.get(process);
        if (before == null) {
            message.arrives.run();
        } else {
            before.add(message);
        }
    }

    /** A connection carries nothing for a while, in either direction. */
    void hold(SimulatedProcess process, long nanos) {
        if (held.putIfAbsent(process, new ArrayList<>()) == null) {
            time.note(process.name, "has a connection that stalls");
            time.after(nanos, () -> goOn(process));
        }
    }

    /** Everything arrives at once, in its order; or the driver finds the connection dead, and makes another. */
    private void goOn(SimulatedProcess process) {
        List<Message> messages = held.remove(process);
        if (messages == null) {
            return;
        }
        boolean dead = time.oneIn(3);
        time.note(process.name, dead ? "has lost what was on its connection" : "gets what its connection held back");
        messages.forEach(each -> (dead ? each.lost : each.arrives).run());
        if (dead) {
            process.run(process.provider::reconnected);
        }
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
            time.after(delay(), () -> carry(to, new Message(() -> to.run(news), () -> {})));
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

    /** Subscribes; the confirmation may come so late that the waiter has given up on it, tried twice more, or is gone. */
    <T> CompletableFuture<T> subscribe(SimulatedProcess process, String what, Supplier<T> command) {
        probe(process);
        CompletableFuture<T> confirmed = call(process, what, command);
        if (faults.stalls() && time.oneIn(3)) {
            CompletableFuture<T> late = new CompletableFuture<>();
            long delay = time.millis(0, SimulatedProvider.CALL_TIMEOUT.toMillis() * (time.oneIn(2) ? 10 : 1));
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
        List.copyOf(held.keySet()).forEach(this::goOn);
        List.copyOf(stalled).forEach(this::probe);
    }
}
