package io.distlock.jdbc.autoconfigure;

import io.distlock.Sequencer;
import io.distlock.jdbc.JdbcFence;
import io.distlock.spring.transaction.TransactionFence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Advances the fence once for each lock of a transaction, in that transaction. If the transaction is inside a suspended one
 * that has locked the same row, advancing would wait for itself: that row stays locked until later, which protects the
 * inner transaction as well. Thread-safe.
 */
final class FencedTransactions implements TransactionFence {

    private final JdbcFence fence;

    /** The grants that this thread's suspended transactions have presented to the fence. */
    private final ThreadLocal<List<Shown>> suspended = ThreadLocal.withInitial(ArrayList::new);

    FencedTransactions(JdbcFence fence) {
        this.fence = fence;
    }

    @Override
    public void enter(String provider, Sequencer sequencer) {
        if (fence.isInTransaction() && !isLockedBySuspended(sequencer)) {
            Shown shown = current();
            if (!shown.locked.contains(sequencer) && !shown.compared.contains(sequencer)) {
                (fence.advance(provider, sequencer) ? shown.locked : shown.compared).add(sequencer);
            }
        }
    }

    private boolean isLockedBySuspended(Sequencer sequencer) {
        List<Shown> outer = suspended.get();
        if (outer.isEmpty()) {
            suspended.remove();
        }
        return outer.stream().anyMatch(each -> each.locked.contains(sequencer));
    }

    private Shown current() {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(each -> each instanceof Shown shown && shown.owner == this)
                .map(Shown.class::cast)
                .findFirst()
                .orElseGet(() -> {
                    Shown shown = new Shown(this);
                    TransactionSynchronizationManager.registerSynchronization(shown);
                    return shown;
                });
    }

    /** The grants that one transaction has presented to the fence. */
    private static final class Shown implements TransactionSynchronization {

        private final FencedTransactions owner;
        private final Set<Sequencer> compared = new HashSet<>();
        private final Set<Sequencer> locked = new HashSet<>();

        /** Those whose rows were locked at each savepoint, which a rollback to it leaves locked. */
        private final Map<Object, Set<Sequencer>> savepoints = new HashMap<>();

        Shown(FencedTransactions owner) {
            this.owner = owner;
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void suspend() {
            owner.suspended.get().add(this);
        }

        @Override
        public void resume() {
            List<Shown> outer = owner.suspended.get();
            outer.remove(this);
            if (outer.isEmpty()) {
                owner.suspended.remove();
            }
        }

        @Override
        public void savepoint(Object savepoint) {
            savepoints.put(savepoint, Set.copyOf(locked));
        }

        /** Grants presented since then are presented again, before the commit at the latest. */
        @Override
        public void savepointRollback(Object savepoint) {
            locked.retainAll(savepoints.getOrDefault(savepoint, Set.of()));
        }

        /** The rows are free from here on, also for transactions that other callbacks begin. */
        @Override
        public void afterCommit() {
            locked.clear();
        }
    }
}
