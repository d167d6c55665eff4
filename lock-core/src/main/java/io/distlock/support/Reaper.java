package io.distlock.support;

import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Withdraws what calls with an unknown outcome may have left in a store: compares and deletes until the store has given the
 * same definite answer three times in a row, some seconds apart, or the time to live has passed. One answer is not enough: a
 * request that was cut off may still be in a buffer or on its way, and be applied later. Of more than {@value #MOST_OPEN} outcomes at a
 * time, the rest get one try, count as {@linkplain #dropped() dropped}, and expire. Thread-safe.
 */
public final class Reaper {

    /** How many outcomes are followed up at a time. */
    public static final int MOST_OPEN = 10_000;

    private static final Logger log = LoggerFactory.getLogger(Reaper.class);
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(2));
    private static final List<Duration> BETWEEN_LOOKS = List.of(Duration.ofSeconds(1), Duration.ofSeconds(4));
    private static final long BETWEEN_WARNINGS = Duration.ofMinutes(1).toNanos();

    private final Ticker ticker;
    private final LockScheduler scheduler;
    private final Timeouts timeouts;
    private final Supplier<? extends RandomGenerator> random;
    private final LongAdder withdrawn = new LongAdder();
    private final LongAdder absent = new LongAdder();
    private final LongAdder expired = new LongAdder();
    private final Set<Case> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong nextWarning;

    Reaper(Ticker ticker, LockScheduler scheduler, Timeouts timeouts, Supplier<? extends RandomGenerator> random) {
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.timeouts = timeouts;
        this.random = random;
        this.nextWarning = new AtomicLong(ticker.nanos());
    }

    /**
     * Follows up an unknown outcome.
     *
     * @param what for the log
     * @param timeToLive how long until the store itself frees the entry
     * @param withdraw compares and deletes once, within the provider's call timeout; if it throws, the try has failed
     */
    public void reap(String what, Duration timeToLive, Supplier<? extends CompletionStage<Release>> withdraw) {
        Case taken = new Case(what, Deadline.in(timeToLive, ticker), withdraw);
        // Concurrent calls may exceed the bound a little; it only protects memory.
        if (open.size() < MOST_OPEN) {
            open.add(taken);
        } else {
            drop(what);
        }
        taken.tryOnce();
    }

    private void drop(String what) {
        long all = dropped.incrementAndGet();
        long now = ticker.nanos();
        long due = nextWarning.get();
        if (now - due >= 0 && nextWarning.compareAndSet(due, now + BETWEEN_WARNINGS)) {
            log.warn(
                    "{} requests have an unknown outcome, which is the limit for following up: {} is tried once more and then"
                            + " left, as {} before it. The store has not answered for a long time, or is overloaded",
                    MOST_OPEN,
                    what,
                    all - 1);
        }
    }

    /** Completes when each outcome that is unknown now has had one try. */
    CompletableFuture<Void> asked() {
        return CompletableFuture.allOf(open.stream().map(each -> each.asked).toArray(CompletableFuture[]::new));
    }

    /** How many outcomes are still unknown. */
    public int pending() {
        return open.size();
    }

    /** How many outcomes were left to expire because there were too many. */
    public long dropped() {
        return dropped.get();
    }

    /** How many outcomes turned out to be a grant, which was withdrawn. */
    public long withdrawn() {
        return withdrawn.sum();
    }

    /** How many outcomes turned out to have left nothing. */
    public long absent() {
        return absent.sum();
    }

    /** How many outcomes expired before the store answered. */
    public long expired() {
        return expired.sum();
    }

    private final class Case {

        private final String what;
        private final Deadline expiry;
        private final Supplier<? extends CompletionStage<Release>> withdraw;
        private final CompletableFuture<Void> asked = new CompletableFuture<>();
        private int failures;
        private boolean found;
        private Release last = Release.UNKNOWN;
        private int looks;

        Case(String what, Deadline expiry, Supplier<? extends CompletionStage<Release>> withdraw) {
            this.what = what;
            this.expiry = expiry;
            this.withdraw = withdraw;
        }

        // One try at a time, each after the previous one has ended: the fields need no lock.
        void tryOnce() {
            if (expiry.hasPassed()) {
                asked.complete(null);
                end("has expired", expired);
                return;
            }
            timeouts.within(expiry.remaining(), ask())
                    .whenComplete((release, failure) -> answered(failure == null ? release : Release.UNKNOWN));
        }

        private CompletionStage<Release> ask() {
            try {
                return withdraw.get();
            } catch (RuntimeException | Error broken) {
                log.debug("{} could not be withdrawn", what, broken);
                return CompletableFuture.completedFuture(Release.UNKNOWN);
            }
        }

        private void answered(Release release) {
            asked.complete(null);
            if (release == Release.UNKNOWN) {
                tryAgain(BACKOFF.pause(++failures, random.get()));
                return;
            }
            if (release == Release.RELEASED && !found) {
                found = true;
                withdrawn.increment();
                log.debug("{} was found and withdrawn", what);
            }
            looks = release == last ? looks + 1 : 0;
            last = release;
            if (looks == BETWEEN_LOOKS.size()) {
                end("left nothing behind", absent);
            } else {
                tryAgain(BETWEEN_LOOKS.get(looks));
            }
        }

        private void tryAgain(Duration pause) {
            if (open.contains(this)) {
                scheduler.schedule(this::tryOnce, pause);
            }
        }

        private void end(String how, LongAdder outcome) {
            open.remove(this);
            if (!found) {
                outcome.increment();
                log.debug("{} {}", what, how);
            }
        }
    }
}
