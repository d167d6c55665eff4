package io.distlock.jdbc;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.springframework.core.Ordered;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/**
 * Like {@link LockedRows}, for reactive transactions: the suspended ones are known in the context of the subscription. After a
 * rollback to a savepoint, which Spring does not report here, a row still counts as locked. Thread-safe.
 */
final class ReactiveLockedRows {

    /** Whether a suspended transaction around this one has locked such a row. */
    boolean isSuspended(TransactionSynchronizationManager transaction, Predicate<FenceGrant> grant) {
        return suspended(transaction).stream()
                .anyMatch(each -> each.grants.stream().anyMatch(grant));
    }

    /** Until the transaction ends. */
    void add(TransactionSynchronizationManager transaction, FenceGrant grant) {
        List<Locked> suspended = suspended(transaction);
        transaction.getSynchronizations().stream()
                .filter(each -> each instanceof Locked locked && locked.suspended == suspended)
                .map(Locked.class::cast)
                .findFirst()
                .orElseGet(() -> {
                    Locked created = new Locked(suspended);
                    transaction.registerSynchronization(created);
                    return created;
                })
                .grants
                .add(grant);
    }

    /** Of one context, which a transaction shares with those inside it. */
    @SuppressWarnings("unchecked") // bound below
    private List<Locked> suspended(TransactionSynchronizationManager transaction) {
        List<Locked> known = (List<Locked>) transaction.getResource(this);
        if (known == null) {
            known = new CopyOnWriteArrayList<>();
            transaction.bindResource(this, known);
        }
        return known;
    }

    /** Those of one transaction. */
    private static final class Locked implements TransactionSynchronization, Ordered {

        private final List<Locked> suspended;
        private final Set<FenceGrant> grants = ConcurrentHashMap.newKeySet();

        Locked(List<Locked> suspended) {
            this.suspended = suspended;
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public Mono<Void> suspend() {
            return Mono.fromRunnable(() -> suspended.add(this));
        }

        @Override
        public Mono<Void> resume() {
            return Mono.fromRunnable(() -> suspended.remove(this));
        }

        /** The rows are free from here on, also for transactions that other callbacks begin. */
        @Override
        public Mono<Void> afterCommit() {
            return Mono.fromRunnable(grants::clear);
        }
    }
}
