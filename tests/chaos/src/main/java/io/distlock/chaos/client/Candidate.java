package io.distlock.chaos.client;

import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.Journal;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderListener;
import io.distlock.leader.LeaderTerm;
import io.distlock.leader.Revocation;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A candidate for a role: it stands until it is told to stop, writes at the register while it leads, resigns now and then, and
 * records all of it. In some terms it goes on for a while although it leads no longer.
 */
final class Candidate implements Runnable {

    private static final double CHECKED = 0.6;
    /** At each sample: most terms are longer than a lease, so that it shows whether a leader learns that it was deposed. */
    private static final double RESIGNS = 0.002;

    private static final int SAMPLE_MILLIS = 16;
    private static final Duration LONGER = Duration.ofMillis(400);

    private final String name;
    private final Access access;
    private final int role;
    private final Duration lease;
    private final Journal journal;
    private final int register;
    private final Random random;
    private final CountDownLatch stop;
    private final Ticker ticker = Ticker.system();

    Candidate(
            String name,
            Access access,
            int role,
            Duration lease,
            Journal journal,
            int register,
            Random random,
            CountDownLatch stop) {
        this.name = name;
        this.access = access;
        this.role = role;
        this.lease = lease;
        this.journal = journal;
        this.register = register;
        this.random = random;
        this.stop = stop;
    }

    @Override
    public void run() {
        try (RegisterConnection writes = RegisterConnection.to(register);
                LeaderElection election = access.election(Keys.roleName(role), lease, new Told())) {
            long asked = ticker.nanos();
            election.stand();
            while (!isToStop()) {
                Optional<LeaderTerm> term = election.term();
                if (term.isPresent()) {
                    asked = lead(election, term.get().token().value(), asked, writes);
                }
            }
        }
    }

    /** The listener may know of a term first, so both name it by its token. */
    private String term(long token) {
        return name + '-' + token;
    }

    /** Records a term. Returns when it was last known to lead, so that it cannot have stood for the next one before. */
    private long lead(LeaderElection election, long token, long asked, RegisterConnection writes) {
        String term = term(token);
        String key = Keys.role(role).text();
        boolean checked = random.nextDouble() < CHECKED;
        journal.at(
                asked,
                Kind.ASKED,
                term,
                key,
                LockMode.EXCLUSIVE,
                LockOptions.MAX_WAIT.toMillis(),
                lease.toMillis(),
                checked,
                1);
        journal.now(Kind.GRANTED, term, token, key);
        long led = asked;
        while (true) {
            long now = ticker.nanos();
            boolean leads = leads(election, token);
            journal.at(now, leads ? Kind.HELD : Kind.NOT_HELD, term);
            led = leads ? now : led;
            boolean over = stop.getCount() == 0 || (!leads && (checked || now - led > LONGER.toNanos()));
            if (!(over && checked)) {
                writes.write(term, key, token);
            }
            if (over) {
                journal.now(Kind.RELEASING, term);
                return led;
            }
            if (leads && random.nextDouble() < RESIGNS) {
                election.resign();
            }
            isToStop();
        }
    }

    private static boolean leads(LeaderElection election, long token) {
        return election.term().filter(term -> term.token().value() == token).isPresent();
    }

    /** Waits, unless it is to stop. */
    private boolean isToStop() {
        try {
            return stop.await(1 + random.nextInt(SAMPLE_MILLIS), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }

    private final class Told implements LeaderListener {

        @Override
        public void onRevoked(LeaderTerm term, Revocation reason) {
            journal.now(Kind.LOST, term(term.token().value()), reason);
        }
    }
}
