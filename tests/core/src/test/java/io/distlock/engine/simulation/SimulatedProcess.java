package io.distlock.engine.simulation;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.engine.SimulatedClient;
import io.distlock.spi.Ticker;
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import io.distlock.support.SimulatedRuntime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.BiConsumer;

/**
 * One process: a clock that drifts, a thread that may be paused, and a client. Everything of the engine runs in {@link #run}:
 * timers, callbacks and what comes from the network.
 */
final class SimulatedProcess implements Ticker, LockScheduler {

    /** In millionths. Two clocks, this one and the store's, may drift apart by 1 % (see LockProvider.clockDrift). */
    private static final int MOST_DRIFT = 9_000;

    final String name;
    final SimulatedProvider provider;
    final LockRuntime runtime;
    final LockClient client;

    private final SimulatedClient engine;
    private final VirtualTime time;
    private final long drift;
    private final Queue<Runnable> backlog = new ArrayDeque<>();
    private boolean dead;
    private boolean closed;
    private boolean paused;
    private boolean suspended;
    private long pausedAt;
    private long pausedNanos;
    private long suspendedNanos;

    SimulatedProcess(
            String name, VirtualTime time, SimulatedNetwork network, BiConsumer<SimulatedProcess, LockEvent> listener) {
        this.name = name;
        this.time = time;
        this.drift = time.random.nextLong(-MOST_DRIFT, MOST_DRIFT + 1);
        this.runtime = SimulatedRuntime.of(this, this, time.random);
        this.provider = new SimulatedProvider(this, network);
        this.engine = new SimulatedClient(
                name,
                provider,
                runtime,
                time.random,
                task -> time.after(time.millis(0, 2), () -> run(task)),
                task -> time.after(0, () -> run(task)),
                event -> time.check(() -> listener.accept(this, event)));
        this.client = engine.client;
    }

    // --- its clock ---

    @Override
    public long nanos() {
        return local((suspended ? pausedAt : time.nanos()) - suspendedNanos);
    }

    @Override
    public long wallMillis() {
        return local(time.nanos()) / 1_000_000;
    }

    private long local(long nanos) {
        return nanos + nanos * drift / 1_000_000;
    }

    // --- its thread ---

    @Override
    public Scheduled schedule(Runnable task, Duration delay) {
        return new Timer(nanos() + delay.toNanos(), task);
    }

    private final class Timer implements Scheduled {

        private final long due;
        private final Runnable task;
        private Scheduled event;
        private boolean cancelled;

        Timer(long due, Runnable task) {
            this.due = due;
            this.task = task;
            this.event = arm();
        }

        private Scheduled arm() {
            return time.after(virtual(due - nanos()) + 1, () -> run(this::fire));
        }

        /** Never early, by the clock of the process. */
        private void fire() {
            if (nanos() - due < 0) {
                event = arm();
            } else if (!cancelled) {
                task.run();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            event.cancel();
        }
    }

    /** A process dies with all its timers; its runtime is never closed alone. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }

    /** Runs it now, when this process goes on, or never if it has died. */
    void run(Runnable task) {
        if (paused) {
            backlog.add(task);
        } else if (!dead) {
            task.run();
        }
    }

    /** Stops its thread for a while and, if the machine is suspended, its monotonic clock. */
    void pause(long nanos, boolean suspend) {
        if (isRunning()) {
            time.note(name, suspend ? "is suspended" : "is paused");
            paused = true;
            suspended = suspend;
            pausedAt = time.nanos();
            time.after(nanos, this::goOn);
        }
    }

    private void goOn() {
        long pause = time.nanos() - pausedAt;
        pausedNanos += pause;
        suspendedNanos += suspended ? pause : 0;
        paused = false;
        suspended = false;
        time.note(name, "goes on");
        backlog.forEach(task -> time.after(0, () -> run(task)));
        backlog.clear();
    }

    void die() {
        time.note(name, "dies");
        dead = true;
        provider.disconnect();
    }

    /**
     * Closes the client and gives nobody time, as nothing else happens meanwhile. The process goes on, with its provider and
     * its runtime.
     */
    void closeClient() {
        time.note(name, "closes its client");
        closed = true;
        provider.withoutWaiting(client::close);
    }

    /** In the order of their grants. */
    List<HeldLock> heldLocks() {
        return engine.heldLocks();
    }

    void requireNothingLeft() {
        engine.requireNothingLeft(name);
    }

    boolean isDead() {
        return dead;
    }

    boolean isClosed() {
        return closed;
    }

    boolean isRunning() {
        return !dead && !paused;
    }

    /** Whether its timers have never been late. */
    boolean isPunctual() {
        return isRunning() && pausedNanos == 0;
    }

    /** A time on its clock, in that of everybody. */
    long virtual(long nanos) {
        // In two steps, or the wait of a candidate for days would overflow.
        long rate = 1_000_000 + drift;
        return nanos / rate * 1_000_000 + nanos % rate * 1_000_000 / rate;
    }

    long pausedNanos() {
        return pausedNanos;
    }

    @Override
    public String toString() {
        return name;
    }
}
