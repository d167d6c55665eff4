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
import org.jspecify.annotations.Nullable;
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
 * The failure may also have rolled the transaction back, which the application does not learn: what it writes later must not be
 * committed without what it wrote before. PostgreSQL refuses that by itself, elsewhere the commit is refused here. Thread-safe.
 */
final class LockedRows {

    private final ThreadLocal<List<Locked>> suspended = ThreadLocal.withInitial(ArrayList::new);
    private final Consumer<FenceGrant> raise;
    private final FenceSql sql;

    /** @param raise locks the row of a grant in the current transaction */
    LockedRows(Consumer<FenceGrant> raise, FenceSql sql) {
        this.raise = raise;
        this.sql = sql;
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
        if (sql.commitsImplicitly()) {
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

        /** Those of the advanced ones under which it may have written what it still has. */
        private final Set<FenceGrant> written = new HashSet<>();

        private final Map<Object, Savepoint> savepoints = new HashMap<>();

        /** Why its rows could not be raised again as it was suspended. */
        private @Nullable DataAccessException failure;

        private record Savepoint(
                Set<FenceGrant> locked,
                Set<FenceGrant> written,
                @Nullable DataAccessException failure) {}

        Locked(LockedRows owner) {
            this.owner = owner;
        }

        void raise(FenceGrant grant) {
            try {
                owner.raise.accept(grant);
                grant.replaceIn(advanced);
                grant.replaceIn(locked);
                grant.replaceIn(written);
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
            } catch (DataAccessException notLocked) {
                // Those that are not locked now are in doubt.
                failure = notLocked;
            } catch (TransactionException notAsked) {
                // So nothing is new.
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
            savepoints.put(savepoint, new Savepoint(Set.copyOf(locked), Set.copyOf(written), failure));
        }

        /** Nothing is left of what was written since, so others may have such a lock by now. */
        @Override
        public void savepointRollback(Object savepoint) {
            Savepoint before = savepoints.getOrDefault(savepoint, new Savepoint(Set.of(), Set.of(), null));
            locked.retainAll(before.locked);
            written.clear();
            written.addAll(before.written);
            failure = before.failure;
            if (!owner.sql.keepsRowsAfterSavepoint()) {
                advanced.clear();
            }
            written.forEach(grant -> grant.replaceIn(advanced));
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
                if (failure != null) {
                    throw failure;
                }
                try {
                    FenceGrant.inOrder(written).forEach(owner.raise);
                } catch (TransactionException failure) {
                    throw FenceGrant.notChecked(failure);
                }
            }
        }
    }
}
