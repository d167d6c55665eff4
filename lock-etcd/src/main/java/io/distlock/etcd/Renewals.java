package io.distlock.etcd;

import io.distlock.spi.Lease;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.spi.RenewalAnswers;
import io.distlock.spi.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/**
 * Extends leases: one call for each session, however many locks hang on it, and none where the session was extended a
 * moment ago for others. Thread-safe.
 */
final class Renewals {

    private final Holdings holdings;
    private final Ticker ticker;

    Renewals(Holdings holdings, Ticker ticker) {
        this.holdings = holdings;
        this.ticker = ticker;
    }

    void renew(Collection<Lease> leases, RenewalAnswers answers) {
        IdentityHashMap<Session, List<Holding>> fresh = new IdentityHashMap<>();
        IdentityHashMap<Session, List<Holding>> stale = new IdentityHashMap<>();
        for (Lease lease : leases) {
            Optional<Holding> holding = holdings.find((EtcdLease) lease);
            if (holding.isEmpty()) {
                answers.answer(lease, Renewal.NOT_OWNER);
            } else {
                (isFresh(holding.get()) ? fresh : stale)
                        .computeIfAbsent(holding.get().lease().session(), session -> new ArrayList<>())
                        .add(holding.get());
            }
        }
        fresh.forEach((session, held) -> held.forEach(each -> answer(each, Renewal.RENEWED, answers)));
        stale.forEach((session, held) -> extend(session, held, answers));
    }

    /** An extension that is younger than a sixth of the lease is taken for the answer: another call would gain nothing. */
    private boolean isFresh(Holding holding) {
        EtcdLease lease = holding.lease();
        return !lease.session().isLost()
                && lease.session().validSince(lease.believed()).elapsedNanos(ticker)
                        <= lease.options().leaseTime().toNanos() / 6;
    }

    private void extend(Session session, List<Holding> held, RenewalAnswers answers) {
        session.keepAlive().thenAccept(renewal -> held.forEach(each -> answer(each, renewal, answers)));
    }

    private void answer(Holding holding, Renewal renewal, RenewalAnswers answers) {
        // Its key may have gone meanwhile, though its session has not.
        if (renewal == Renewal.NOT_OWNER || holdings.find(holding.lease()).isEmpty()) {
            holdings.remove(holding);
            answers.answer(holding.lease(), Renewal.NOT_OWNER);
        } else if (renewal == Renewal.UNKNOWN) {
            answers.answer(holding.lease(), Renewal.UNKNOWN);
        } else {
            renewed(holding, holding.lease(), answers);
        }
    }

    private static void renewed(Holding holding, Lease lease, RenewalAnswers answers) {
        EtcdLease own = holding.lease();
        Moment since = own.session().validSince(own.believed());
        holding.extend(since);
        answers.renewedSince(lease, since);
    }
}
