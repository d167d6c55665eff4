package io.distlock.chaos.client;

import io.distlock.LockClient;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import java.time.Duration;
import java.util.Random;

/**
 * What a worker does next, drawn from a seed.
 *
 * @param seed the seed
 * @param leaseMillis the lease time
 * @param longestBodyMillis the longest time that a body takes
 */
record Workload(long seed, long leaseMillis, long longestBodyMillis) {

    private static final double READERS = 0.15;
    private static final double UNRENEWED = 0.4;
    private static final double CHECKED = 0.6;
    private static final double CANCELLED = 0.1;

    /** What a thread does all the time. */
    enum Kind {
        /** Takes any of the locks. */
        LOCKS,
        /** Takes one lock, and keeps it for longer than a lease. */
        KEPT,
        /** Takes permits. */
        PERMITS
    }

    /** That of one thread. */
    Course of(int thread, Kind kind) {
        return new Course(random(thread), kind);
    }

    /** What a thread draws from. */
    Random random(int thread) {
        return new Random(seed * 31 + thread);
    }

    /**
     * One attempt.
     *
     * @param request what is asked for
     * @param body how long the body is to run
     * @param checked whether the body ends when its lock says that it is no longer held
     * @param patience the attempt is cancelled after this time; longer than the wait time if it is not to be
     */
    record Step(LockRequest request, Duration body, boolean checked, Duration patience) {}

    /** The steps of one thread. For that thread. */
    final class Course {

        private final Random random;
        private final Kind kind;

        private Course(Random random, Kind kind) {
            this.random = random;
            this.kind = kind;
        }

        Step next(LockClient locks) {
            boolean shared = kind == Kind.LOCKS && random.nextDouble() < READERS;
            boolean renewed = random.nextDouble() >= UNRENEWED;
            Duration wait = Duration.ofMillis(random.nextInt(4) == 0 ? 0 : random.nextInt(2_000));
            LockOptions options = LockOptions.defaults()
                    .withLeaseTime(Duration.ofMillis(leaseMillis))
                    .withRenew(renewed)
                    .withWaitTime(wait);
            LockRequest request =
                    request(locks).withOptions(options).withMode(shared ? LockMode.SHARED : LockMode.EXCLUSIVE);
            Duration patience = random.nextDouble() < CANCELLED
                    ? Duration.ofMillis(random.nextInt(300))
                    : wait.plus(Duration.ofHours(1));
            return new Step(request, body(), random.nextDouble() < CHECKED, patience);
        }

        private LockRequest request(LockClient locks) {
            return switch (kind) {
                case LOCKS -> locks.request(Keys.lock(random.nextInt(Keys.LOCKS)));
                case KEPT -> locks.request(Keys.kept());
                case PERMITS -> locks.request(Keys.permits()).withPermits(Keys.PERMITS);
            };
        }

        /** Mostly short, so that many grants follow each other; a quarter outlast a lease, and half of those with a permit. */
        private Duration body() {
            if (kind == Kind.KEPT) {
                return Duration.ofMillis(longestBodyMillis + random.nextInt((int) longestBodyMillis));
            }
            double length = random.nextDouble();
            if (length > (kind == Kind.PERMITS ? 0.5 : 0.75)) {
                return Duration.ofMillis(leaseMillis + random.nextInt((int) (longestBodyMillis - leaseMillis)));
            }
            return Duration.ofMillis(1 + random.nextInt(length < 0.6 ? 30 : (int) leaseMillis));
        }

        /** Between two steps, and between two samples. */
        Duration pause(int mostMillis) {
            return Duration.ofMillis(random.nextInt(mostMillis));
        }
    }
}
