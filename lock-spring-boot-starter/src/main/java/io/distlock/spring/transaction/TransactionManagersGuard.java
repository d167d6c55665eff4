package io.distlock.spring.transaction;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Puts the commit guard into each transaction manager, whoever has made it. */
public final class TransactionManagersGuard implements BeanPostProcessor, PriorityOrdered {

    private final CommitGuardListener listener;

    public TransactionManagersGuard(CommitGuard guard) {
        this.listener = new CommitGuardListener(guard);
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(listener);
        }
        return bean;
    }
}
