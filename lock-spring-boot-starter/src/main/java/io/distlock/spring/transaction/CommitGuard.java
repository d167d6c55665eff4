package io.distlock.spring.transaction;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.Sequencer;
import io.distlock.spring.execution.HeldLocks;
import io.distlock.spring.execution.ReferenceCountedLock;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Prevents transactions under a lost lock: installs a listener in each transaction manager that checks the locks under which
 * a transaction begins and, as the last thing before its commit, those and the ones taken inside it. A failed check
 * rolls the transaction back. Thread-safe.
 */
final class CommitGuard implements BeanPostProcessor, PriorityOrdered {

    /** Bound to the thread while {@link #shows} asks: the fences that would be shown the locks of its transaction. */
    private record Shown(Set<TransactionFence> fences) {}

    /** Bound to the thread while there are any: its transactions that were begun under locks, each with those. */
    private record Begun(Map<TransactionExecution, List<ReferenceCountedLock>> transactions) {

        static void put(TransactionExecution transaction, List<ReferenceCountedLock> locks) {
            Begun here = here().orElseGet(() -> {
                Begun first = new Begun(new IdentityHashMap<>());
                TransactionSynchronizationManager.bindResource(Begun.class, first);
                return first;
            });
            // A listener does not learn of the end of every one.
            here.transactions.keySet().removeIf(TransactionExecution::isCompleted);
            here.transactions.put(transaction, locks);
        }

        static List<ReferenceCountedLock> under(TransactionExecution transaction) {
            return here().map(begun -> begun.transactions.get(transaction)).orElseGet(List::of);
        }

        static void remove(TransactionExecution transaction) {
            here().ifPresent(begun -> {
                begun.transactions.remove(transaction);
                if (begun.transactions.isEmpty()) {
                    TransactionSynchronizationManager.unbindResource(Begun.class);
                }
            });
        }

        private static Optional<Begun> here() {
            return Optional.ofNullable((Begun) TransactionSynchronizationManager.getResource(Begun.class));
        }
    }

    private final boolean asksStore;
    private final Supplier<List<TransactionFence>> fences;
    private final AtomicLong rollbacksToSavepoints = new AtomicLong();

    /** The fences are not asked for before the first transaction under a lock. */
    CommitGuard(boolean asksStore, Supplier<List<TransactionFence>> fences) {
        this.asksStore = asksStore;
        this.fences = fences;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    /** After the initialization: the product of a factory does not pass through here before it. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        // A proxy passes the listener on to a manager that may have it.
        if (bean instanceof ConfigurableTransactionManager manager
                && listeners(manager).noneMatch(each -> each.isOf(this))) {
            manager.addListener(new Listener(manager));
        }
        return bean;
    }

    /** Shows these locks to the resources that refuse stale holders. */
    void fence(Collection<ReferenceCountedLock> locks) {
        for (TransactionFence fence : fences.get()) {
            fenced(locks).forEach(entry -> fence.enter(entry.getKey(), entry.getValue()));
        }
    }

    /**
     * The grants among these locks that are to be fenced, each with its provider, in the order of their keys. Shared ones come
     * last: comparing them may begin the transaction's snapshot, and an exclusive one may have to wait for another transaction.
     */
    static Stream<Map.Entry<String, Sequencer>> fenced(Collection<ReferenceCountedLock> locks) {
        return locks.stream()
                .filter(ReferenceCountedLock::isFenced)
                .flatMap(lock -> lock.lock().sequencers().stream()
                        .map(sequencer -> Map.entry(lock.client().provider(), sequencer)))
                .sorted(Comparator.comparing((Map.Entry<String, Sequencer> grant) ->
                                grant.getValue().mode())
                        .thenComparing(grant -> grant.getValue().key()));
    }

    boolean isFencing() {
        return !fences.get().isEmpty();
    }

    /** Whether one shows the locks of this manager's transactions to the fence, or those of the manager behind it. */
    static boolean shows(PlatformTransactionManager manager, TransactionFence fence) {
        Shown shown = new Shown(new HashSet<>());
        TransactionTemplate transaction = new TransactionTemplate(manager);
        transaction.setReadOnly(true);
        TransactionSynchronizationManager.bindResource(Shown.class, shown);
        try {
            transaction.executeWithoutResult(TransactionExecution::setRollbackOnly);
        } finally {
            TransactionSynchronizationManager.unbindResource(Shown.class);
        }
        return shown.fences().contains(fence);
    }

    private static Stream<Listener> listeners(ConfigurableTransactionManager manager) {
        return manager.getTransactionExecutionListeners().stream()
                .filter(Listener.class::isInstance)
                .map(Listener.class::cast);
    }

    /** How many reactive transactions were rolled back to a savepoint so far, in all: a listener does not know where. */
    long rollbacksToSavepoints() {
        return rollbacksToSavepoints.get();
    }

    /** Whether a check blocks. */
    boolean asksStore() {
        return asksStore;
    }

    /** Requires all of these locks to be held: by the clock and, if it is asked, by the store. */
    void check(Collection<ReferenceCountedLock> locks) {
        for (ReferenceCountedLock each : locks) {
            each.lock().ensureHeld();
            if (asksStore) {
                confirm(each.lock(), each.client());
            }
        }
    }

    /** The failure of a check in a form that rolls back: Spring takes a TransactionException for a failure of the commit. */
    static IllegalStateException notChecked(TransactionException failure) {
        return new IllegalStateException(
                "the locks of the transaction could not be checked before its commit", failure);
    }

    private static void confirm(HeldLock lock, LockClient client) {
        for (Sequencer sequencer : lock.sequencers()) {
            if (!client.isCurrent(sequencer)) {
                // The store answers the release with NOT_OWNER, so this throws the LockLostException.
                lock.close();
                throw new IllegalStateException("the store no longer has lock '" + sequencer + "'");
            }
        }
    }

    /**
     * Checks the locks under which a manager's transactions are begun, remembers them, and checks them before the commit. For
     * threads alone: a reactive transaction is not bound to the thread on which it begins.
     */
    private final class Listener implements TransactionExecutionListener {

        private final ConfigurableTransactionManager manager;

        Listener(ConfigurableTransactionManager manager) {
            this.manager = manager;
        }

        boolean isOf(CommitGuard guard) {
            return CommitGuard.this == guard;
        }

        /**
         * Refuses by failing as the beginning itself can fail. Before that, it ends the transaction: nobody else would, and a
         * refused one that lived on would keep its rows locked, and a statement that commits by itself would keep its writes.
         */
        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (TransactionSynchronizationManager.getResource(Shown.class) instanceof Shown shown) {
                shown.fences().addAll(fences.get());
            }
            List<ReferenceCountedLock> locks = HeldLocks.reachable().referenced();
            if (failure == null
                    && !locks.isEmpty()
                    && transaction instanceof TransactionStatus status
                    && manager instanceof PlatformTransactionManager ending) {
                try {
                    fence(locks);
                    // One may have been lost while the transaction waited for its connection, or for a row.
                    locks.forEach(each -> each.lock().ensureHeld());
                } catch (RuntimeException | Error refusal) {
                    rollBack(ending, status, refusal);
                    throw refusal;
                }
                Begun.put(transaction, locks);
            }
        }

        private static void rollBack(PlatformTransactionManager manager, TransactionStatus status, Throwable refusal) {
            try {
                manager.rollback(status instanceof DefaultTransactionStatus known ? unsuspended(known) : status);
            } catch (RuntimeException | Error failure) {
                refusal.addSuppressed(failure);
            }
        }

        /** The manager resumes what it has suspended when a beginning fails, so the rollback must not. */
        private static TransactionStatus unsuspended(DefaultTransactionStatus begun) {
            return begun.getSuspendedResources() == null
                    ? begun
                    : new DefaultTransactionStatus(
                            begun.getTransactionName(),
                            begun.getTransaction(),
                            begun.isNewTransaction(),
                            begun.isNewSynchronization(),
                            begun.isNested(),
                            begun.isReadOnly(),
                            begun.isDebug(),
                            null);
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            if (transaction instanceof TransactionStatus) {
                try {
                    Set<ReferenceCountedLock> locks = new LinkedHashSet<>(TransactionScope.kept());
                    locks.addAll(Begun.under(transaction));
                    check(locks);
                    fence(locks);
                } catch (TransactionException failure) {
                    throw notChecked(failure);
                }
            }
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            Begun.remove(transaction);
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
            Begun.remove(transaction);
            if (!(transaction instanceof TransactionStatus) && transaction.isNested()) {
                rollbacksToSavepoints.incrementAndGet();
            }
        }
    }
}
