package io.distlock.spring.interceptor;

import io.distlock.spring.execution.BlockingExecution;
import java.util.Optional;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Lets a call pass only under its lock. Thread-safe. */
public final class LockInterceptor implements MethodInterceptor {

    private final LockOperations operations;
    private final BlockingExecution blocking = new BlockingExecution();

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
        LockOperation operation = operations.resolve(method.get());
        LockedCall call = new LockedCall(method.get().method(), target, invocation.getArguments());
        if (!operation.appliesTo(call)) {
            return invocation.proceed();
        }
        Object result = blocking.run(operation.task(call), invocation::proceed);
        return operation.results().requireDone(result, call.method());
    }
}
