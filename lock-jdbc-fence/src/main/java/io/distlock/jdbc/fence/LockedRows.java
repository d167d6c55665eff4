package io.distlock.jdbc.fence;

import io.distlock.fencing.StaleFencingTokenException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.springframework.core.Ordered;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The grants whose rows are locked by the current transaction of this thread, or by a suspended one around it. Advancing those
 * of a suspended one again would wait for itself. Its row stays locked until later, which protects the inner transaction as
 * well, unless the outer one rolls back after the inner one has committed: then the token is not recorded.
 *
 * <p>A row may be free although its transaction goes on: a statement may commit by itself, a deadlock or a failure roll back. So
 * it is raised again where others rely on it: as the transaction is suspended, and, where statements commit by themselves, before
 * its commit. If that fails, the row may be free or still locked: transactions inside can neither rely on it nor wait for it.
 * Thread-safe.
 */
final class LockedRows {

    private final ThreadLocal<List<Locked>> suspended = ThreadLocal.withInitial(ArrayList::new);
    private final Consumer<FenceGrant> raise;
    private final boolean beforeCommit;

    /**
     * @param raise locks the row of a grant in the current transaction
     * @param beforeCommit whether to raise rows again before a commit
     */
    LockedRows(Consumer<FenceGrant> raise, boolean beforeCommit) {
        this.raise = raise;
        this.beforeCommit = beforeCommit;
    }

    /**
     * Whether the row is locked for this grant.
     *
     * @throws RuntimeException if a suspended transaction was refused, which may have left the row locked
     */
    boolean contains(FenceGrant grant) {
        List<Locked> outer = suspended.get();
        if (outer.isEmpty()) {
            suspended.remove();
        }
        outer.forEach(each -> each.requireNotRefused(grant));
        return Stream.concat(outer.stream(), current()).anyMatch(each -> each.locked.contains(grant));
    }

    /** Whether a suspended transaction of this thread has locked such a row. */
    boolean isSuspended(Predicate<FenceGrant> grant) {
        return suspended.get().stream()
                .flatMap(each -> Stream.concat(each.locked.stream(), each.refused.keySet().stream()))
                .anyMatch(grant);
    }

    /** Whether a suspended transaction of this thread has advanced such a row; may be free if {@link #isSuspended} is false. */
    boolean isInDoubt(Predicate<FenceGrant> grant) {
        return suspended.get().stream().flatMap(each -> each.advanced.stream()).anyMatch(grant);
    }

    /** Locks the row until the transaction ends. */
    void raise(FenceGrant grant) {
        Locked transaction = current().findFirst().orElseGet(this::register);
        transaction.raise(grant);
        transaction.requireNotRefused(grant);
    }

    private Locked register() {
        Locked created = new Locked(this);
        TransactionSynchronizationManager.registerSynchronization(created);
        if (beforeCommit) {
            TransactionSynchronizationManager.registerSynchronization(created.new BeforeCommit());
        }
        return created;
    }

    private Stream<Locked> current() {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(each -> each instanceof Locked locked && locked.owner == this)
                .map(Locked.class::cast);
    }

    /** Those of one transaction. */
    private static final class Locked implements TransactionSynchronization {

        private final LockedRows owner;
        private final Set<FenceGrant> advanced = new HashSet<>();
        private final Set<FenceGrant> locked = new HashSet<>();
        private final Map<FenceGrant, RuntimeException> refused = new HashMap<>();

        /** Those whose rows were locked at each savepoint, which a rollback to it leaves locked. */
        private final Map<Object, Set<FenceGrant>> savepoints = new HashMap<>();

        Locked(LockedRows owner) {
            this.owner = owner;
        }

        void raise(FenceGrant grant) {
            try {
                owner.raise.accept(grant);
                grant.replaceIn(advanced);
                grant.replaceIn(locked);
                refused.remove(grant);
            } catch (StaleFencingTokenException | IllegalStateException refusal) {
                locked.remove(grant);
                refused.put(grant, refusal);
            } catch (DataAccessException failure) {
                // After some, the database has rolled the transaction back, and freed all its rows; after others, it
                // has not.
                locked.clear();
                throw failure;
            }
        }

        void requireNotRefused(FenceGrant grant) {
            RuntimeException refusal = refused.get(grant);
            if (refusal != null) {
                throw refusal;
            }
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void suspend() {
            try {
                FenceGrant.inOrder(advanced).forEach(this::raise);
            } catch (DataAccessException | TransactionException failure) {
                // Those that are not locked now are in doubt.
            }
            owner.suspended.get().add(this);
        }

        @Override
        public void resume() {
            List<Locked> outer = owner.suspended.get();
            outer.remove(this);
            if (outer.isEmpty()) {
                owner.suspended.remove();
            }
        }

        @Override
        public void savepoint(Object savepoint) {
            savepoints.put(savepoint, Set.copyOf(locked));
        }

        /** What was locked since is advanced again, before the commit at the latest. */
        @Override
        public void savepointRollback(Object savepoint) {
            locked.retainAll(savepoints.getOrDefault(savepoint, Set.of()));
        }

        /** The rows are free from here on, also for transactions that other callbacks begin. */
        @Override
        public void afterCommit() {
            advanced.clear();
            locked.clear();
            refused.clear();
        }

        /** Last by its order; before callbacks without one that were registered later. */
        private final class BeforeCommit implements TransactionSynchronization {

            @Override
            public void beforeCommit(boolean readOnly) {
                try {
                    FenceGrant.inOrder(advanced).forEach(owner.raise);
                } catch (TransactionException failure) {
                    throw FenceGrant.notChecked(failure);
                }
            }
        }
    }
}
