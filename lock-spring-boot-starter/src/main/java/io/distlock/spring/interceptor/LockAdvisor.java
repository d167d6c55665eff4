package io.distlock.spring.interceptor;

import io.distlock.spring.execution.Execution.Body;
import io.distlock.spring.execution.LockTask;
import java.lang.reflect.Method;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Runs each call of a method to be locked under its locks. Thread-safe. */
final class LockAdvisor extends StaticMethodMatcherPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient LockOperationSource source;

    LockAdvisor(LockOperationSource source, ConfigurableListableBeanFactory beans, int order) {
        super(new LockInterceptor(source));
        this.source = source;
        ProxyRules proxies = new ProxyRules(beans);
        // Not a class that cannot be proxied: trying would fail start-up with this problem alone, whereas the start-up
        // check reports it along with all others.
        setClassFilter(type -> !source.lockedMethods(type).isEmpty() && proxies.isPossible(type));
        setOrder(order);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return source.isLocked(method, targetClass);
    }

    private record LockInterceptor(LockOperationSource source) implements MethodInterceptor {

        @Override
        public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
            Object target = invocation.getThis();
            LockOperation operation = source.find(invocation.getMethod(), target == null ? null : target.getClass());
            if (operation == null) {
                return invocation.proceed();
            }
            ReturnTypes.Handling returns = operation.returns();
            List<LockTask> tasks;
            try {
                tasks = operation.tasks(new LockOperation.Call(operation.method(), target, invocation.getArguments()));
            } catch (RuntimeException unknownKey) {
                return returns.fail(unknownKey);
            }
            // Work that continues after the return runs on the executor, locked or not.
            if (tasks.isEmpty() && returns.signal().isEmpty()) {
                return invocation.proceed();
            }
            Body body = returns.signal().isPresent() ? repeatable(invocation) : invocation::proceed;
            return returns.requireDone(returns.execution().run(tasks, body), operation.method());
        }

        /**
         * The rest of the call as a body that may run later, on another thread, and once for each subscription: each run is a
         * copy, bound to its thread for aspects that look for it there.
         */
        private static Body repeatable(MethodInvocation invocation) {
            ProxyMethodInvocation untouched =
                    (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
            return () -> ExposeInvocationInterceptor.INSTANCE.invoke(untouched.invocableClone());
        }
    }
}
