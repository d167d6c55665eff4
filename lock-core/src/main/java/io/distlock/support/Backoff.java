package io.distlock.support;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * Exponential backoff with jitter: a random pause between half of the first bound and a bound that doubles with each
 * failure (after Brooker, Exponential Backoff and Jitter, 2015, whose full jitter begins at zero).
 *
 * @param first the bound after the first failure
 * @param most the maximum bound
 */
public record Backoff(Duration first, Duration most) {

    /**
     * The pause before the next try.
     *
     * @param failures how many tries have failed in a row, 1 or more
     */
    public Duration pause(int failures) {
        return pause(failures, ThreadLocalRandom.current());
    }

    /** As {@link #pause(int)}, drawn from this source. */
    public Duration pause(int failures, RandomGenerator random) {
        long bound = first.toNanos() << Math.min(failures - 1, 20);
        // Half of the first bound as a floor: zero pauses would turn the first retries into a busy loop.
        long least = first.toNanos() / 2;
        return Duration.ofNanos(least + random.nextLong(Math.max(1, Math.min(bound, most.toNanos()) - least)));
    }
}
