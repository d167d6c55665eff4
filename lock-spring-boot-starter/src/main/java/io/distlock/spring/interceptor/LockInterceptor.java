package io.distlock.spring.interceptor;

import io.distlock.spring.context.CallContext;
import io.distlock.spring.execution.LockTask;
import java.util.List;
import java.util.Optional;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/** Lets a call pass only under its lock. Thread-safe. */
public final class LockInterceptor implements MethodInterceptor {

    private final LockOperations operations;

    public LockInterceptor(LockOperations operations) {
        this.operations = operations;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Optional<LockedMethod> method =
                operations.find(invocation.getMethod(), target == null ? null : target.getClass());
        if (method.isEmpty()) {
            return invocation.proceed();
        }
        LockPlan plan = operations.resolve(method.get());
        LockedCall call = new LockedCall(method.get().method(), target, invocation.getArguments());
        List<LockTask> tasks = plan.tasks(call);
        if (tasks.isEmpty()) {
            return invocation.proceed();
        }
        MethodResults results = plan.results();
        CallContext.Body body = results.later() ? repeatable(invocation) : invocation::proceed;
        return results.requireDone(results.execution().run(tasks, body), call.method());
    }

    /**
     * The rest of the call as something that may run later, on another thread, and once for each subscription: a
     * copy each time, and bound to the thread again for the aspects that look for it there.
     */
    private static CallContext.Body repeatable(MethodInvocation invocation) {
        if (!(invocation instanceof ProxyMethodInvocation proxied)) {
            return invocation::proceed;
        }
        ProxyMethodInvocation untouched = (ProxyMethodInvocation) proxied.invocableClone();
        return () -> ExposeInvocationInterceptor.INSTANCE.invoke(untouched.invocableClone());
    }
}
