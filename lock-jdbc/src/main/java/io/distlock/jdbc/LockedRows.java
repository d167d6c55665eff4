package io.distlock.jdbc;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The grants whose rows are locked by the current transaction of this thread, or by a suspended one around it. Advancing those
 * of a suspended one again would wait for itself. Its row stays locked until later, which protects the inner transaction as
 * well, unless the outer one rolls back after the inner one has committed: then the token is not recorded. Thread-safe.
 */
final class LockedRows {

    private final ThreadLocal<List<Locked>> suspended = ThreadLocal.withInitial(ArrayList::new);

    boolean contains(Object grant) {
        List<Locked> outer = suspended.get();
        if (outer.isEmpty()) {
            suspended.remove();
        }
        return Stream.concat(outer.stream(), current()).anyMatch(each -> each.grants.contains(grant));
    }

    /** Whether a suspended transaction of this thread has locked such a row. */
    boolean isSuspended(Predicate<Object> grant) {
        return suspended.get().stream().flatMap(each -> each.grants.stream()).anyMatch(grant);
    }

    /** Until the transaction ends. */
    void add(Object grant) {
        Locked locked = current().findFirst().orElseGet(() -> {
            Locked created = new Locked(this);
            TransactionSynchronizationManager.registerSynchronization(created);
            return created;
        });
        locked.grants.add(grant);
    }

    /** Those of the current transaction are advanced again, before the commit at the latest. */
    void forget() {
        current().forEach(each -> each.grants.clear());
    }

    private Stream<Locked> current() {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(each -> each instanceof Locked locked && locked.owner == this)
                .map(Locked.class::cast);
    }

    /** Those of one transaction. */
    private static final class Locked implements TransactionSynchronization {

        private final LockedRows owner;
        private final Set<Object> grants = new HashSet<>();

        /** Those whose rows were locked at each savepoint, which a rollback to it leaves locked. */
        private final Map<Object, Set<Object>> savepoints = new HashMap<>();

        Locked(LockedRows owner) {
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
            List<Locked> outer = owner.suspended.get();
            outer.remove(this);
            if (outer.isEmpty()) {
                owner.suspended.remove();
            }
        }

        @Override
        public void savepoint(Object savepoint) {
            savepoints.put(savepoint, Set.copyOf(grants));
        }

        /** What was locked since is advanced again, before the commit at the latest. */
        @Override
        public void savepointRollback(Object savepoint) {
            grants.retainAll(savepoints.getOrDefault(savepoint, Set.of()));
        }

        /** The rows are free from here on, also for transactions that other callbacks begin. */
        @Override
        public void afterCommit() {
            grants.clear();
        }
    }
}
