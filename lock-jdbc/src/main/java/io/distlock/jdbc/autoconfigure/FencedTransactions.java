package io.distlock.jdbc.autoconfigure;

import io.distlock.Sequencer;
import io.distlock.jdbc.JdbcFence;
import io.distlock.spring.transaction.TransactionFence;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Advances the fence once for each lock of a transaction, in that transaction. One inside another that has done so, and
 * is suspended, would wait for itself; it relies on the row that the other keeps locked until later. Thread-safe.
 */
final class FencedTransactions implements TransactionFence {

    private final JdbcFence fence;

    /** Of this thread's suspended transactions. */
    private final ThreadLocal<List<Entered>> suspended = ThreadLocal.withInitial(ArrayList::new);

    FencedTransactions(JdbcFence fence) {
        this.fence = fence;
    }

    @Override
    public void enter(String provider, Sequencer sequencer) {
        if (fence.isInTransaction() && suspended.get().stream().noneMatch(outer -> outer.grants.contains(sequencer))) {
            Entered entered = entered();
            if (!entered.grants.contains(sequencer)) {
                fence.advance(provider, sequencer);
                entered.grants.add(sequencer);
            }
        }
    }

    private Entered entered() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return new Entered(this);
        }
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(each -> each instanceof Entered entered && entered.owner == this)
                .map(Entered.class::cast)
                .findFirst()
                .orElseGet(() -> {
                    Entered entered = new Entered(this);
                    TransactionSynchronizationManager.registerSynchronization(entered);
                    return entered;
                });
    }

    /** What the fence has been shown in one transaction. */
    private static final class Entered implements TransactionSynchronization {

        private final FencedTransactions owner;
        private final Set<Sequencer> grants = new HashSet<>();

        Entered(FencedTransactions owner) {
            this.owner = owner;
        }

        @Override
        public void suspend() {
            owner.suspended.get().add(this);
        }

        @Override
        public void resume() {
            owner.suspended.get().remove(this);
        }

        /** May undo what the fence was shown since the savepoint; it is shown again before the commit at the latest. */
        @Override
        public void savepointRollback(Object savepoint) {
            grants.clear();
        }
    }
}
