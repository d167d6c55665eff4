package io.distlock.spring.transaction;

import java.lang.reflect.Method;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
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
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.reactive.TransactionCallback;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Installs the commit guard inside reactive transactions, right where they begin: those of {@code @Transactional}
 * methods and of {@link TransactionalOperator} beans. A listener at the transaction manager, as {@link CommitGuard}
 * installs for threads, does not see the subscription's context and so cannot know its locks.
 */
record ReactiveCommitGuard(ReactiveTransactionScope scope) implements BeanPostProcessor, PriorityOrdered {

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof BeanFactoryTransactionAttributeSourceAdvisor advisor
                && advisor.getAdvice() instanceof MethodInterceptor transactions) {
            advisor.setAdvice(new GuardedAdvice(transactions, scope));
        } else if (bean instanceof TransactionalOperator operator) {
            return new GuardedOperator(operator, scope);
        }
        return bean;
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

    /** Transaction advice whose reactive transactions know the locks they were begun under. */
    private record GuardedAdvice(MethodInterceptor transactions, ReactiveTransactionScope scope)
            implements MethodInterceptor {

        @Override
        public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
            ReactiveAdapter adapter =
                    ReactiveAdapterRegistry.getSharedInstance().getAdapter(resultType(invocation.getMethod()));
            return adapter == null || !adapter.getDescriptor().isDeferred()
                    ? transactions.invoke(invocation)
                    : new CommitGuard.TransactionAdvice(transactions, inner -> guarded(inner, adapter))
                            .invoke(invocation);
        }

        /** Calls the method once the transaction is guarded, so not if it is refused. */
        private @Nullable Object guarded(MethodInvocation invocation, ReactiveAdapter adapter) {
            Flux<?> guarded = scope.guarded(Flux.defer(() -> publisher(invocation, adapter)));
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
    }
}
