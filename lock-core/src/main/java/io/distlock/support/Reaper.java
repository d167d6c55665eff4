package io.distlock.support;

import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Withdraws what may have been left at a store: compares and deletes again and again until the store has given
 * the same definite answer twice in a row, some time apart, or the time to live of what may be there has passed: a
 * request that was cut off may still lie in a server's buffer, and be applied after the first answer, be that "not the
 * owner" or the withdrawal of what another request of the same owner has left. Thread-safe.
 *
 * <p>Bounded: nothing is followed up for longer than its time to live, even if a try never ends, and at most
 * {@value #MOST_OPEN} outcomes at a time. What comes on top of these gets one try, counts as {@linkplain #dropped()
 * dropped}, and is left to expire; the log says so, once a minute at most.
 */
public final class Reaper {

    /** How many outcomes are followed up at a time. */
    public static final int MOST_OPEN = 10_000;

    private static final Logger log = LoggerFactory.getLogger(Reaper.class);
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(2));
    private static final Duration SECOND_LOOK = Duration.ofSeconds(1);
    private static final long BETWEEN_WARNINGS = Duration.ofMinutes(1).toNanos();

    private final Ticker ticker;
    private final LockScheduler scheduler;
    private final Timeouts timeouts;
    private final LongAdder withdrawn = new LongAdder();
    private final LongAdder absent = new LongAdder();
    private final LongAdder expired = new LongAdder();
    private final Set<Case> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong nextWarning;

    Reaper(Ticker ticker, LockScheduler scheduler, Timeouts timeouts) {
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.timeouts = timeouts;
        this.nextWarning = new AtomicLong(ticker.nanos());
    }

    /**
     * Takes over an outcome that is unknown.
     *
     * @param what for the log
     * @param timeToLive after this long the store has freed the entry by itself
     * @param withdraw compares and deletes once; each answer ends within the provider's call timeout. Whatever it throws
     *     is one more try that failed
     */
    public void reap(String what, Duration timeToLive, Supplier<? extends CompletionStage<Release>> withdraw) {
        Case taken = new Case(what, Deadline.in(timeToLive, ticker), withdraw);
        // A few too many if several come at once; the bound is for the memory, not for a promise.
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
                    "{} outcomes are unknown and followed up, and no more: {} is tried once and then left to expire, as"
                            + " were {} before it. The store has been silent for long, or is asked too often",
                    MOST_OPEN,
                    what,
                    all - 1);
        }
    }

    /** Completes when the store has answered about each outcome that is unknown now, or has not in one try. */
    CompletableFuture<Void> asked() {
        return CompletableFuture.allOf(open.stream().map(each -> each.asked).toArray(CompletableFuture[]::new));
    }

    /** How many outcomes are still unknown. */
    public int pending() {
        return open.size();
    }

    /** How many outcomes were ever left to expire because there were too many. */
    public long dropped() {
        return dropped.get();
    }

    /** How many outcomes turned out to be a grant, which was withdrawn. */
    public long withdrawn() {
        return withdrawn.sum();
    }

    /** How many turned out to be nothing. */
    public long absent() {
        return absent.sum();
    }

    /** Of how many the store said nothing until they had expired by themselves. */
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

        Case(String what, Deadline expiry, Supplier<? extends CompletionStage<Release>> withdraw) {
            this.what = what;
            this.expiry = expiry;
            this.withdraw = withdraw;
        }

        // One try at a time, each begun after the one before it ended: the fields need no lock.
        void tryOnce() {
            if (expiry.hasPassed()) {
                asked.complete(null);
                end("has expired by itself", expired);
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
                failures++;
                tryAgain(BACKOFF.pause(failures));
                return;
            }
            if (release == Release.RELEASED && !found) {
                found = true;
                withdrawn.increment();
                log.debug("{} was there, and is withdrawn", what);
            }
            if (release == last) {
                end("is not there", absent);
            } else {
                last = release;
                tryAgain(SECOND_LOOK);
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
