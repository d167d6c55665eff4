package io.distlock.spring.transaction;

import io.distlock.spring.execution.EnclosingScope;
import io.distlock.spring.execution.HeldLocks;
import io.distlock.spring.execution.ReferenceCountedLock;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.reactive.TransactionCallback;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Like {@link TransactionScope} and {@link CommitGuard}, for transactions in a Reactor context: those of
 * {@code @Transactional} methods and of {@link TransactionalOperator} beans, inside which it installs itself, right where they
 * begin. A listener at the transaction manager, as for threads, does not see the subscription's context and so cannot know
 * its locks. Thread-safe.
 */
record ReactiveTransactionScope(
        CommitGuard guard, boolean holdsUntilCompletion, Supplier<List<TransactionFence.Reactive>> fences)
        implements EnclosingScope.ReactiveResolver, BeanPostProcessor, PriorityOrdered {

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        TransactionAdvice.extend(bean, this::proceed);
        return bean instanceof TransactionalOperator operator ? new GuardedOperator(operator, this) : bean;
    }

    @Override
    public Mono<EnclosingScope> current() {
        return holdsUntilCompletion
                ? transaction(List.of()).cast(EnclosingScope.class).defaultIfEmpty(EnclosingScope.NONE)
                : Mono.just(EnclosingScope.NONE);
    }

    @Override
    public Mono<Void> fence(Collection<ReferenceCountedLock> locks) {
        return fences.get().isEmpty() ? Mono.empty() : transaction(List.of()).flatMap(found -> found.fence(locks));
    }

    @Override
    public boolean isFencing() {
        return !fences.get().isEmpty();
    }

    /** The work of a transaction that may have just begun: it is fenced, and its commit is guarded, from here on. */
    private <T> Flux<T> guarded(Flux<T> work) {
        return Flux.deferContextual(context -> {
            List<ReferenceCountedLock> around = context.<HeldLocks>getOrEmpty(HeldLocks.class)
                    .map(HeldLocks::referenced)
                    .orElseGet(List::of);
            // One may have been lost while the transaction waited for a row.
            Mono<Void> check =
                    Mono.fromRunnable(() -> around.forEach(each -> each.lock().ensureHeld()));
            return transaction(around)
                    .map(found -> found.fence(around).then(check).thenMany(work))
                    .defaultIfEmpty(work)
                    .flatMapMany(guarded -> guarded);
        });
    }

    /** The transaction around a subscription, if there is one. The first call, as it begins, records the locks around it. */
    private Mono<Completion> transaction(List<ReferenceCountedLock> begunUnder) {
        return TransactionSynchronizationManager.forCurrentTransaction()
                .filter(manager -> manager.isSynchronizationActive() && manager.isActualTransactionActive())
                .map(manager -> completion(manager, begunUnder))
                .onErrorResume(NoTransactionException.class, none -> Mono.empty());
    }

    private Completion completion(TransactionSynchronizationManager manager, List<ReferenceCountedLock> begunUnder) {
        return manager.getSynchronizations().stream()
                .filter(Completion.class::isInstance)
                .map(Completion.class::cast)
                .findFirst()
                .orElseGet(() -> {
                    // They may have been lost while the transaction waited for its connection.
                    begunUnder.forEach(each -> each.lock().ensureHeld());
                    Completion completion = new Completion(begunUnder);
                    manager.registerSynchronization(completion);
                    return completion;
                });
    }

    /** Calls the {@code @Transactional} method. A reactive one only once its transaction is guarded, so not if it is refused. */
    private @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
        ReactiveAdapter adapter =
                ReactiveAdapterRegistry.getSharedInstance().getAdapter(resultType(invocation.getMethod()));
        if (adapter == null || !adapter.getDescriptor().isDeferred()) {
            return invocation.proceed();
        }
        Flux<?> guarded = guarded(Flux.defer(() -> publisher(invocation, adapter)));
        return adapter.fromPublisher(adapter.isMultiValue() ? guarded : guarded.singleOrEmpty());
    }

    private static Publisher<?> publisher(MethodInvocation invocation, ReactiveAdapter adapter) {
        try {
            return adapter.toPublisher(Objects.requireNonNull(invocation.proceed()));
        } catch (Throwable thrown) {
            return Flux.error(thrown);
        }
    }

    /** Advice sees a suspending function as one that returns a publisher. */
    private static Class<?> resultType(Method method) {
        if (!KotlinDetector.isSuspendingFunction(method)) {
            return method.getReturnType();
        }
        Class<?> written = new MethodParameter(method, -1).getParameterType();
        return written.getName().equals("kotlinx.coroutines.flow.Flow") ? Flux.class : Mono.class;
    }

    /** An operator whose transactions know the locks they were begun under. */
    private record GuardedOperator(TransactionalOperator operator, ReactiveTransactionScope scope)
            implements TransactionalOperator {

        @Override
        public <T> Mono<T> transactional(Mono<T> mono) {
            return operator.transactional(scope.guarded(mono.flux()).singleOrEmpty());
        }

        @Override
        public <T> Flux<T> execute(TransactionCallback<T> action) {
            return operator.execute(
                    transaction -> scope.guarded(Flux.defer(() -> action.doInTransaction(transaction))));
        }
    }

    /** One transaction's locks: those it was begun under, and those taken inside it. */
    private final class Completion extends TransactionScope.KeptLocks implements TransactionSynchronization {

        private final List<ReferenceCountedLock> begunUnder;
        private final Set<ReferenceCountedLock> asked = ConcurrentHashMap.newKeySet();

        /** Those of them that were not refused, each with the number of rollbacks to savepoints before it was asked about. */
        private final Map<ReferenceCountedLock, Long> accepted = new ConcurrentHashMap<>();

        Completion(List<ReferenceCountedLock> begunUnder) {
            this.begunUnder = begunUnder;
        }

        /** Shows those that were not accepted yet, or not since a rollback, to the resources that refuse stale holders. */
        Mono<Void> fence(Collection<ReferenceCountedLock> locks) {
            return Mono.defer(() -> {
                long rollbacks = guard.rollbacksToSavepoints();
                List<ReferenceCountedLock> fenced = locks.stream()
                        .filter(each -> each.isFenced() && !Objects.equals(accepted.get(each), rollbacks))
                        .toList();
                if (fenced.isEmpty()) {
                    return Mono.empty();
                }
                asked.addAll(fenced);
                return Flux.fromIterable(fences.get())
                        .concatMap(fence -> Flux.fromStream(() -> CommitGuard.fenced(fenced))
                                .concatMap(grant -> fence.enter(grant.getKey(), grant.getValue())))
                        .then(Mono.fromRunnable(() -> fenced.forEach(each -> accepted.put(each, rollbacks))));
            });
        }

        @Override
        public Mono<Void> beforeCommit(boolean readOnly) {
            Mono<Void> check = Mono.fromRunnable(() -> {
                Set<ReferenceCountedLock> locks = new LinkedHashSet<>(begunUnder);
                locks.addAll(kept());
                guard.check(locks);
            });
            return (guard.asksStore() ? check.subscribeOn(Schedulers.boundedElastic()) : check)
                    .then(fence(asked))
                    .onErrorMap(TransactionException.class, CommitGuard::notChecked);
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
