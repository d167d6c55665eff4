package io.distlock.spring.transaction;

import io.distlock.spring.execution.EnclosingScope;
import io.distlock.spring.execution.HeldLocks;
import io.distlock.spring.execution.ReferenceCountedLock;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Like {@link TransactionScope}, for transactions in a Reactor context. Thread-safe. */
record ReactiveTransactionScope(CommitGuard guard, boolean holdsUntilCompletion)
        implements EnclosingScope.ReactiveResolver {

    @Override
    public Mono<EnclosingScope> current() {
        return holdsUntilCompletion
                ? transaction(List.of())
                        .map(each -> each.<EnclosingScope>map(found -> found).orElse(EnclosingScope.NONE))
                : Mono.just(EnclosingScope.NONE);
    }

    /** The work of a transaction that may have just begun: its commit is guarded from here on. */
    <T> Flux<T> guarded(Flux<T> work) {
        return Flux.deferContextual(context -> {
            List<ReferenceCountedLock> begunUnder = context.<HeldLocks>getOrEmpty(HeldLocks.class)
                    .map(HeldLocks::referenced)
                    .orElseGet(List::of);
            return transaction(begunUnder).flatMapMany(guarded -> work);
        });
    }

    /** The transaction around a subscription, if there is one. The first call, as it begins, records the locks around it. */
    private Mono<Optional<Completion>> transaction(List<ReferenceCountedLock> begunUnder) {
        return TransactionSynchronizationManager.forCurrentTransaction()
                .filter(manager -> manager.isSynchronizationActive() && manager.isActualTransactionActive())
                .map(manager -> Optional.of(completion(manager, begunUnder)))
                .onErrorResume(NoTransactionException.class, none -> Mono.empty())
                .defaultIfEmpty(Optional.empty());
    }

    private Completion completion(TransactionSynchronizationManager manager, List<ReferenceCountedLock> begunUnder) {
        return manager.getSynchronizations().stream()
                .filter(Completion.class::isInstance)
                .map(Completion.class::cast)
                .findFirst()
                .orElseGet(() -> {
                    Completion completion = new Completion(guard, begunUnder);
                    manager.registerSynchronization(completion);
                    return completion;
                });
    }

    /** One transaction's locks: those it was begun under, and those taken inside it. */
    private static final class Completion extends TransactionScope.KeptLocks implements TransactionSynchronization {

        private final CommitGuard guard;
        private final List<ReferenceCountedLock> begunUnder;

        Completion(CommitGuard guard, List<ReferenceCountedLock> begunUnder) {
            this.guard = guard;
            this.begunUnder = begunUnder;
        }

        @Override
        public Mono<Void> beforeCommit(boolean readOnly) {
            Mono<Void> check = Mono.fromRunnable(() -> {
                Set<ReferenceCountedLock> locks = new LinkedHashSet<>(begunUnder);
                locks.addAll(kept());
                guard.check(locks);
            });
            return guard.asksStore() ? check.subscribeOn(Schedulers.boundedElastic()) : check;
        }

        @Override
        public Mono<Void> afterCompletion(int status) {
            return Flux.fromIterable(complete())
                    .concatMap(
                            reference -> Mono.fromFuture(reference.closeAsync().toCompletableFuture(), true)
                                    .doOnError(Completion::ignoreLoss)
                                    .onErrorComplete())
                    .then();
        }
    }
}
