package io.distlock.jdbc.fence;

import io.distlock.fencing.StaleFencingTokenException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Like {@link LockedRows}, for reactive transactions: the suspended ones are known in the context of the subscription.
 * Thread-safe.
 */
final class ReactiveLockedRows {

    private final Function<FenceGrant, Mono<Void>> raise;
    private final FenceSql sql;

    /** See {@link LockedRows}. */
    ReactiveLockedRows(Function<FenceGrant, Mono<Void>> raise, FenceSql sql) {
        this.raise = raise;
        this.sql = sql;
    }

    /**
     * Whether a suspended transaction around this one has locked the row for this grant.
     *
     * @throws RuntimeException if it was refused, which may have left the row locked
     */
    boolean contains(TransactionSynchronizationManager transaction, FenceGrant grant) {
        List<Locked> outer = suspended(transaction);
        outer.forEach(each -> each.requireNotRefused(grant));
        return outer.stream().anyMatch(each -> !each.inDoubt && each.grants.contains(grant));
    }

    /** Whether a suspended transaction around this one has locked such a row. */
    boolean isSuspended(TransactionSynchronizationManager transaction, Predicate<FenceGrant> grant) {
        return suspended(transaction).stream()
                .flatMap(each -> Stream.concat(
                        each.inDoubt ? Stream.of() : each.grants.stream(), each.refused.keySet().stream()))
                .anyMatch(grant);
    }

    /** See {@link LockedRows#isInDoubt}. */
    boolean isInDoubt(TransactionSynchronizationManager transaction, Predicate<FenceGrant> grant) {
        return suspended(transaction).stream()
                .flatMap(each -> each.grants.stream())
                .anyMatch(grant);
    }

    /** Locks the row until the transaction ends. */
    Mono<Void> raise(TransactionSynchronizationManager transaction, FenceGrant grant) {
        List<Locked> suspended = suspended(transaction);
        Locked locked = transaction.getSynchronizations().stream()
                .filter(each -> each instanceof Locked known && known.suspended == suspended)
                .map(Locked.class::cast)
                .findFirst()
                .orElseGet(() -> register(transaction, suspended));
        return locked.raise(grant);
    }

    private Locked register(TransactionSynchronizationManager transaction, List<Locked> suspended) {
        Locked created = new Locked(suspended);
        transaction.registerSynchronization(created);
        if (sql.commitsImplicitly()) {
            transaction.registerSynchronization(created.new BeforeCommit());
        }
        return created;
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

    /** Those of one transaction. After a rollback to a savepoint, which Spring does not report here, they are unchanged. */
    private final class Locked implements TransactionSynchronization, Ordered {

        private final List<Locked> suspended;
        private final Set<FenceGrant> grants = ConcurrentHashMap.newKeySet();
        private final Map<FenceGrant, RuntimeException> refused = new ConcurrentHashMap<>();

        /** Whether its rows could not be raised again as it was suspended. */
        private volatile boolean inDoubt;

        /** Why they could not, once. */
        private volatile @Nullable DataAccessException failure;

        Locked(List<Locked> suspended) {
            this.suspended = suspended;
        }

        Mono<Void> raise(FenceGrant grant) {
            return raise.apply(grant)
                    .doOnSuccess(done -> {
                        grant.replaceIn(grants);
                        refused.remove(grant);
                    })
                    .doOnError(StaleFencingTokenException.class, refusal -> refused.put(grant, refusal))
                    .doOnError(IllegalStateException.class, refusal -> refused.put(grant, refusal));
        }

        void requireNotRefused(FenceGrant grant) {
            RuntimeException refusal = refused.get(grant);
            if (refusal != null) {
                throw refusal;
            }
        }

        private Flux<FenceGrant> inOrder() {
            return Flux.fromStream(() -> FenceGrant.inOrder(grants));
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public Mono<Void> suspend() {
            return inOrder()
                    .concatMap(grant -> raise(grant)
                            .onErrorComplete(StaleFencingTokenException.class)
                            .onErrorComplete(IllegalStateException.class)
                            // Nothing was asked, so nothing is new.
                            .onErrorComplete(TransactionException.class))
                    .then(Mono.just(false))
                    .onErrorResume(DataAccessException.class, notLocked -> {
                        failure = notLocked;
                        return Mono.just(true);
                    })
                    .doOnNext(failed -> {
                        inDoubt = failed;
                        suspended.add(this);
                    })
                    .then();
        }

        @Override
        public Mono<Void> resume() {
            return Mono.fromRunnable(() -> suspended.remove(this));
        }

        /** The rows are free from here on, also for transactions that other callbacks begin. */
        @Override
        public Mono<Void> afterCommit() {
            return Mono.fromRunnable(() -> {
                grants.clear();
                refused.clear();
            });
        }

        /** Last by its order; before callbacks without one that were registered later. */
        private final class BeforeCommit implements TransactionSynchronization {

            @Override
            public Mono<Void> beforeCommit(boolean readOnly) {
                DataAccessException suspended = failure;
                return (suspended == null ? inOrder() : Flux.<FenceGrant>error(suspended))
                        .concatMap(raise)
                        .onErrorMap(TransactionException.class, FenceGrant::notChecked)
                        .then();
            }
        }
    }
}
