package io.distlock.chaos.store;

import io.distlock.test.process.SteppableClock;
import java.time.Duration;
import java.util.Random;

/**
 * Something that can happen to a store or to the network.
 *
 * @param name what it is called in the report, without blanks
 * @param shortest how long it lasts at least
 * @param longest how long it lasts at most; zero for what is over at once
 * @param start begins it
 */
public record Fault(String name, Duration shortest, Duration longest, Start start) {

    /** Begins a fault. */
    @FunctionalInterface
    public interface Start {

        /** Begins it, with what is to be chosen drawn at random. */
        Ongoing begin(Random random);
    }

    /**
     * A fault that has begun.
     *
     * @param detail what it hit, without blanks
     * @param end ends it
     */
    public record Ongoing(String detail, Runnable end) {}

    /** One that lasts. */
    static Fault lasting(String name, Duration longest, Start start) {
        return new Fault(name, Duration.ZERO, longest, start);
    }

    /** One that is over at once. */
    static Fault atOnce(String name, Runnable event) {
        return new Fault(name, Duration.ZERO, Duration.ZERO, random -> {
            event.run();
            return new Ongoing("all", () -> {});
        });
    }

    /**
     * A wall clock that steps forward or back, and later to where it should be.
     *
     * @param most how far at most
     */
    static Fault stepped(String name, SteppableClock clock, Duration most, Duration longest) {
        return lasting(name, longest, random -> {
            Duration ahead = Duration.ofMillis(random.nextLong(-most.toMillis(), most.toMillis()));
            clock.step(ahead);
            return new Ongoing("by-%d-ms".formatted(ahead.toMillis()), () -> clock.step(Duration.ZERO));
        });
    }
}
