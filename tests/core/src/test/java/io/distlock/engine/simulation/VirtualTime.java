package io.distlock.engine.simulation;

import io.distlock.support.LockScheduler;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * All that happens in a simulation, on one thread, in the order of its times and, at the same time, in the order in which it
 * was scheduled. With one source of random numbers for everything, a seed has one history.
 */
final class VirtualTime {

    final SplittableRandom random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
    private final List<Note> trace = new ArrayList<>();
    private long now;
    private long scheduled;
    private @Nullable AssertionError failure;

    private record Event(long at, long number, Runnable action) {}

    private record Note(long at, String who, Object what) {

        @Override
        public String toString() {
            return String.format("%5d.%06d %s %s", at / 1_000_000, at % 1_000_000, who, what);
        }
    }

    VirtualTime(long seed) {
        this.random = new SplittableRandom(seed);
    }

    long nanos() {
        return now;
    }

    LockScheduler.Scheduled after(long nanos, Runnable action) {
        Event event = new Event(now + Math.max(0, nanos), ++scheduled, action);
        events.add(event);
        return () -> events.remove(event);
    }

    /** Goes on to the next event; false if there is none. */
    boolean runNext() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        now = next.at;
        next.action.run();
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    /** Runs what the engine calls: the engine and futures would keep the failure of a check to themselves. */
    void check(Runnable called) {
        try {
            called.run();
        } catch (RuntimeException | AssertionError thrown) {
            failure = failure == null ? new AssertionError(thrown.getMessage(), thrown) : failure;
        }
    }

    /** True once in so many times. */
    boolean oneIn(int times) {
        return random.nextInt(times) == 0;
    }

    /** From the first to the second number of milliseconds, in nanoseconds: two random times are hardly ever the same. */
    long millis(long least, long most) {
        return random.nextLong(least * 1_000_000, most * 1_000_000 + 1);
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /**
     * @param what immutable: its text is made later
     */
    void note(String who, Object what) {
        trace.add(new Note(now, who, what));
    }

    /** What happened, with its time in milliseconds. */
    List<String> trace() {
        return trace.stream().map(Note::toString).toList();
    }
}
