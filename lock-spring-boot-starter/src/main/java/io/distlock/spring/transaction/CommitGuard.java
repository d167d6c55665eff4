package io.distlock.spring.transaction;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.Sequencer;
import io.distlock.spring.execution.HeldLocks;
import io.distlock.spring.execution.ReferenceCountedLock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Prevents commits under a lost lock: installs a listener in each transaction manager that checks, as the last thing
 * before a commit, the locks that the transaction was begun under and those taken inside it. A failed check
 * rolls the transaction back. Thread-safe.
 */
final class CommitGuard implements BeanPostProcessor, PriorityOrdered {

    private final boolean asksStore;
    private final Listener listener = new Listener();

    /**
     * @param asksStore whether the store, not just the clock, must confirm each lock; one call per key
     */
    CommitGuard(boolean asksStore) {
        this.asksStore = asksStore;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(listener);
        }
        return bean;
    }

    /** Whether a check blocks. */
    boolean asksStore() {
        return asksStore;
    }

    /**
     * Requires all of these locks to be held.
     *
     * @throws io.distlock.LockLostException if one was lost
     * @throws io.distlock.LockUnavailableException if the store had to be asked but did not answer
     * @throws IllegalStateException if one was already released
     */
    void check(Collection<ReferenceCountedLock> locks) {
        for (ReferenceCountedLock each : locks) {
            each.lock().ensureHeld();
            if (asksStore) {
                confirm(each.lock(), each.client());
            }
        }
    }

    private static void confirm(HeldLock lock, LockClient client) {
        for (Sequencer sequencer : lock.sequencers()) {
            if (!client.isCurrent(sequencer)) {
                // Throws the loss, which the store's answer to the release proves.
                lock.close();
                throw new IllegalStateException("the store does not know lock '" + sequencer + "' any more");
            }
        }
    }

    /** Remembers the locks under which each transaction was begun, and checks them before its commit. */
    private final class Listener implements TransactionExecutionListener {

        /** Only transactions begun under a lock; each is removed at its end. Keyed by identity. */
        private final Map<TransactionExecution, List<ReferenceCountedLock>> begun = new ConcurrentHashMap<>();

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            List<ReferenceCountedLock> locks = HeldLocks.current().locks();
            if (failure == null && !locks.isEmpty() && isBoundToThread(transaction)) {
                begun.put(transaction, locks);
            }
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            if (isBoundToThread(transaction)) {
                check(TransactionScope.kept());
                check(begun.getOrDefault(transaction, List.of()));
            }
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            begun.remove(transaction);
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
            begun.remove(transaction);
        }

        /** A reactive transaction is not bound to the thread on which it begins. */
        private static boolean isBoundToThread(TransactionExecution transaction) {
            return !(transaction instanceof ReactiveTransaction);
        }
    }
}
