package io.distlock.spring.transaction;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The advice of transactions, whose reactive ones know the locks that they are begun under. */
record GuardedTransactionAdvice(MethodInterceptor transactions, ReactiveTransactionScopes scopes)
        implements MethodInterceptor {

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        ReactiveAdapter adapter =
                ReactiveAdapterRegistry.getSharedInstance().getAdapter(resultType(invocation.getMethod()));
        return adapter == null || !adapter.getDescriptor().isDeferred()
                ? transactions.invoke(invocation)
                : transactions.invoke(new Inside(invocation, adapter, scopes));
    }

    /** To advice, a suspending function is one that gives a publisher. */
    private static Class<?> resultType(Method method) {
        if (!KotlinDetector.isSuspendingFunction(method)) {
            return method.getReturnType();
        }
        Class<?> written = new MethodParameter(method, -1).getParameterType();
        return written.getName().equals("kotlinx.coroutines.flow.Flow") ? Flux.class : Mono.class;
    }

    /** What the advice is around. */
    private record Inside(MethodInvocation invocation, ReactiveAdapter adapter, ReactiveTransactionScopes scopes)
            implements MethodInvocation {

        @Override
        public @Nullable Object proceed() throws Throwable {
            Object result = invocation.proceed();
            if (result == null) {
                return null;
            }
            Flux<?> guarded = scopes.guarded(Flux.from(adapter.toPublisher(result)));
            return adapter.fromPublisher(adapter.isMultiValue() ? guarded : guarded.singleOrEmpty());
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
