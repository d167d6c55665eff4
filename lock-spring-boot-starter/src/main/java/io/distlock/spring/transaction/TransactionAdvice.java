package io.distlock.spring.transaction;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;

/** Transaction advice with something of ours between the beginning of the transaction and the method. */
record TransactionAdvice(MethodInterceptor transactions, MethodInterceptor inside) implements MethodInterceptor {

    /** Runs the interceptor inside the transactions of a bean that is the advisor of {@code @Transactional} methods. */
    static void extend(Object bean, MethodInterceptor inside) {
        if (bean instanceof BeanFactoryTransactionAttributeSourceAdvisor advisor
                && advisor.getAdvice() instanceof MethodInterceptor transactions) {
            advisor.setAdvice(new TransactionAdvice(transactions, inside));
        }
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        return transactions.invoke(new Inside(invocation, inside));
    }

    private record Inside(MethodInvocation invocation, MethodInterceptor inside) implements MethodInvocation {

        @Override
        public @Nullable Object proceed() throws Throwable {
            return inside.invoke(invocation);
        }

        @Override
        public Method getMethod() {
            return invocation.getMethod();
        }

        @Override
        @SuppressWarnings("NullAway") // elements may be null; Spring's class file says so only to newer compilers
        public Object[] getArguments() {
            return invocation.getArguments();
        }

        @Override
        public @Nullable Object getThis() {
            return invocation.getThis();
        }

        @Override
        public AccessibleObject getStaticPart() {
            return invocation.getStaticPart();
        }
    }
}
