package io.distlock.spring.leader.actuator;

import io.distlock.LockException;
import io.distlock.leader.LeaderElection;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * For how long nobody has led a role, as far as this instance knows. A reading on the leader asks nobody. Elsewhere it asks the
 * store who leads, on another thread; the next reading shows the answer. A leader that the store cannot confirm counts as none.
 * Thread-safe.
 */
final class LeaderAbsence {

    /** An answer is not believed for longer: without readings, nobody has asked in between. */
    private static final long FRESH_NANOS = Duration.ofMinutes(2).toNanos();

    private final LeaderElection election;
    private final Executor executor;
    private final Ticker ticker;
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile @Nullable Finding last;

    /** Nobody was found at {@code atNanos}, nor at any time asked since {@code sinceNanos}. */
    private record Finding(long sinceNanos, long atNanos) {}

    LeaderAbsence(LeaderElection election, Executor executor, Ticker ticker) {
        this.election = election;
        this.executor = executor;
        this.ticker = ticker;
    }

    double seconds() {
        if (election.isLeader()) {
            last = null;
            return 0;
        }
        double known = known();
        ask();
        return known;
    }

    private double known() {
        Finding found = last;
        long now = ticker.nanos();
        return found == null || now - found.atNanos > FRESH_NANOS
                ? 0
                : Duration.ofNanos(now - found.sinceNanos).toMillis() / 1000.0;
    }

    private void ask() {
        if (asking.compareAndSet(false, true)) {
            try {
                executor.execute(this::look);
            } catch (RejectedExecutionException closing) {
                asking.set(false);
            }
        }
    }

    private void look() {
        try {
            note(isLed());
        } finally {
            asking.set(false);
        }
    }

    private boolean isLed() {
        try {
            return election.leader().isPresent();
        } catch (LockException silent) {
            return false;
        }
    }

    private void note(boolean led) {
        Finding before = last;
        long now = ticker.nanos();
        long since = before != null && now - before.atNanos <= FRESH_NANOS ? before.sinceNanos : now;
        last = led ? null : new Finding(since, now);
    }
}
