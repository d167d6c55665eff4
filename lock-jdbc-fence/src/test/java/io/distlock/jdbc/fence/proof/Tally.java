package io.distlock.jdbc.fence.proof;

import java.util.concurrent.atomic.AtomicInteger;

/** What has happened in a number of rounds. */
final class Tally {

    private final AtomicInteger rounds = new AtomicInteger();
    private final AtomicInteger staleCommits = new AtomicInteger();
    private final AtomicInteger lostUpdates = new AtomicInteger();
    private final AtomicInteger overtaken = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    /** @param overtaken whether the next holder had committed before the writer went on */
    void add(Victim.Outcome outcome, boolean overtaken, boolean booked) {
        rounds.incrementAndGet();
        if (overtaken) {
            this.overtaken.incrementAndGet();
        }
        if (outcome == Victim.Outcome.REFUSED) {
            refused.incrementAndGet();
        }
        if (overtaken && booked) {
            staleCommits.incrementAndGet();
        }
    }

    /** What cannot be seen from one writer alone. */
    void addFrom(Bookings bookings, String account) {
        staleCommits.addAndGet(bookings.steppedBack(account));
        lostUpdates.addAndGet(bookings.lostUpdates(account));
    }

    int rounds() {
        return rounds.get();
    }

    int staleCommits() {
        return staleCommits.get();
    }

    int lostUpdates() {
        return lostUpdates.get();
    }

    int overtaken() {
        return overtaken.get();
    }

    int refused() {
        return refused.get();
    }

    @Override
    public String toString() {
        return "%s rounds, next holder first in %s: %s refused, %s stale commits, %s lost updates"
                .formatted(rounds, overtaken, refused, staleCommits, lostUpdates);
    }
}
