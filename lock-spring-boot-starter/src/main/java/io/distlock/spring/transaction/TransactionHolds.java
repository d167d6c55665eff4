package io.distlock.spring.transaction;

import io.distlock.spring.context.Hold;
import io.distlock.spring.context.OuterScope;
import io.distlock.spring.context.Stay;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The locks that were taken inside one transaction and are held until it has completed. Thread-safe. */
final class TransactionHolds implements OuterScope {

    private static final Logger log = LoggerFactory.getLogger(TransactionHolds.class);

    private final List<Stay> stays = new ArrayList<>();
    private boolean completed;

    @Override
    public synchronized void keep(Hold hold) {
        if (!completed) {
            hold.enter().ifPresent(stays::add);
        }
    }

    @Override
    public synchronized List<Hold> holds() {
        return stays.stream().map(Stay::hold).toList();
    }

    /** Ends; what is given back is given back by the caller, last first. */
    synchronized List<Stay> complete() {
        completed = true;
        List<Stay> kept = new ArrayList<>(stays.size());
        for (int last = stays.size() - 1; last >= 0; last--) {
            kept.add(stays.get(last));
        }
        stays.clear();
        return kept;
    }

    /** Nobody is left to be told: before the commit the guard did, and afterwards it is too late. */
    static void ignoreLoss(Throwable loss) {
        log.debug("A lock was lost by the end of the transaction in which it was taken", loss);
    }
}
