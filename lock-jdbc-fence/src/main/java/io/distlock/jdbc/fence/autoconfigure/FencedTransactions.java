package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.Sequencer;
import io.distlock.jdbc.fence.JdbcFence;
import io.distlock.spring.transaction.TransactionFence;
import java.util.HashSet;
import java.util.Set;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Advances the fence once for each lock of a transaction, in that transaction. Thread-safe. */
final class FencedTransactions implements TransactionFence {

    private final JdbcFence fence;

    FencedTransactions(JdbcFence fence) {
        this.fence = fence;
    }

    @Override
    public void enter(String provider, Sequencer sequencer) {
        if (fence.isInTransaction()) {
            Set<Sequencer> compared = compared();
            if (!compared.contains(sequencer) && !fence.advance(provider, sequencer)) {
                compared.add(sequencer);
            }
        }
    }

    private Set<Sequencer> compared() {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(each -> each instanceof Compared compared && compared.owner == this)
                .map(each -> ((Compared) each).grants)
                .findFirst()
                .orElseGet(() -> {
                    Compared compared = new Compared(this);
                    TransactionSynchronizationManager.registerSynchronization(compared);
                    return compared.grants;
                });
    }

    /** The grants that one transaction has only compared. */
    private static final class Compared implements TransactionSynchronization {

        private final FencedTransactions owner;
        private final Set<Sequencer> grants = new HashSet<>();

        Compared(FencedTransactions owner) {
            this.owner = owner;
        }
    }
}
