package io.distlock.samples.flashsale;

import io.distlock.LockLostException;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.fencing.StaleFencingTokenException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this instance does in one sale. Thread-safe: each worker runs {@link #work()} on a thread of its own. */
final class Shift {

    private static final Logger log = LoggerFactory.getLogger(Shift.class);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final Sale sale;
    private final String seller;
    private final Shop shop;
    private final SaleBook book;
    private final AtomicInteger atWork = new AtomicInteger();
    private volatile Optional<String> trouble = Optional.empty();

    Shift(Sale sale, String seller, Shop shop, SaleBook book) {
        this.sale = sale;
        this.seller = seller;
        this.shop = shop;
        this.book = book;
    }

    Sale sale() {
        return sale;
    }

    int atWork() {
        return atWork.get();
    }

    /** What went wrong last. */
    Optional<String> trouble() {
        return trouble;
    }

    void requireRoomFor(Workers more) {
        int already = atWork();
        if (already + more.count() > Workers.MAX) {
            throw new IllegalArgumentException("workers must be at most " + (Workers.MAX - already) + ", not "
                    + more.count() + ": " + already + " are at work already");
        }
    }

    /** Counts a worker in before its thread runs, so that a shift that begins never looks like one that is over. */
    void countIn() {
        atWork.incrementAndGet();
    }

    /** Sells until there is nothing left, the next sale begins, or the instance ends. */
    void work() {
        try {
            boolean goOn = true;
            while (goOn) {
                goOn = book.isLatest(sale)
                        && trySell()
                        && !Thread.currentThread().isInterrupted();
            }
        } catch (RuntimeException e) {
            giveUp(e);
        } finally {
            atWork.decrementAndGet();
        }
    }

    /** Interrupted means that the instance ends, which is no trouble. */
    private void giveUp(RuntimeException reason) {
        if (!Thread.currentThread().isInterrupted()) {
            log.warn("A worker gave up in {}", sale, reason);
            trouble = Optional.of("a worker gave up: " + reason.getMessage());
        }
    }

    private boolean trySell() {
        try {
            if (sale.fenced()) {
                return shop.sellFenced(sale.itemId(), seller);
            }
            return sale.withLock() ? shop.sell(sale.itemId(), seller) : shop.sellWithoutLock(sale.itemId(), seller);
        } catch (LockNotAcquiredException e) {
            // Others had the lock for the whole wait time. Nothing was sold; a worker just queues again.
            return true;
        } catch (StaleFencingTokenException e) {
            trouble = Optional.of("the database has refused a sale: " + e.getMessage());
            return true;
        } catch (LockLostException e) {
            trouble = Optional.of("a worker noticed too late, if at all: " + e.getMessage());
            return true;
        } catch (LockUnavailableException e) {
            // Without the lock nothing is sold, so nothing goes wrong either. Redis may come back.
            trouble = Optional.of(String.valueOf(e.getMessage()));
            LockSupport.parkNanos(PAUSE.toNanos());
            return true;
        }
    }
}
