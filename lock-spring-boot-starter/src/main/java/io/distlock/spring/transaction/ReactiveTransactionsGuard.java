package io.distlock.spring.transaction;

import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.reactive.TransactionalOperator;

/**
 * Puts the commit guard inside reactive transactions, right where they begin: of {@code @Transactional} methods and of
 * {@link TransactionalOperator} beans. A listener at the transaction manager, as there is one for threads, is not
 * shown the subscription's context and so could not know its locks.
 */
public final class ReactiveTransactionsGuard implements BeanPostProcessor, PriorityOrdered {

    private final ReactiveTransactionScopes scopes;

    public ReactiveTransactionsGuard(ReactiveTransactionScopes scopes) {
        this.scopes = scopes;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof BeanFactoryTransactionAttributeSourceAdvisor advisor
                && advisor.getAdvice() instanceof MethodInterceptor transactions) {
            advisor.setAdvice(new GuardedTransactionAdvice(transactions, scopes));
        } else if (bean instanceof TransactionalOperator operator) {
            return new GuardedTransactionalOperator(operator, scopes);
        }
        return bean;
    }
}
