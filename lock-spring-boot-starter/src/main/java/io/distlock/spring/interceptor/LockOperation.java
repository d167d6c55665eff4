package io.distlock.spring.interceptor;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.spring.execution.BodyPolicy;
import io.distlock.spring.execution.LockTask;
import io.distlock.spring.execution.NotAcquiredHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How a method, the most specific one, is locked: what its annotations say, checked and resolved once. */
record LockOperation(Method method, ReturnTypes.Handling returns, List<Lock> locks) {

    /** The locks that a call needs, in the order in which they are taken; none if no condition is met. */
    List<LockTask> tasks(Call call) {
        if (locks.size() == 1) {
            Lock only = locks.get(0);
            return only.condition().apply(call) ? List.of(only.task(call)) : List.of();
        }
        List<LockTask> tasks = new ArrayList<>(locks.size());
        for (Lock lock : locks) {
            if (lock.condition().apply(call)) {
                tasks.add(lock.task(call));
            }
        }
        return LockTask.ordered(tasks);
    }

    /** One lock of the method, with the client's options as the annotation overrides them. */
    record Lock(
            LockClient client,
            String name,
            Function<Call, List<LockKey>> keys,
            LockMode mode,
            int permits,
            LockOptions options,
            Function<Call, Boolean> condition,
            BodyPolicy policy,
            Function<Call, NotAcquiredHandler> notAcquired) {

        LockTask task(Call call) {
            LockRequest request = new LockRequest(keys.apply(call), mode, options, permits);
            return new LockTask(client, request, policy, notAcquired.apply(call));
        }
    }

    /** One call of a locked method, as key expressions see it: {@code #root}. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Call(
            Method method,
            @Nullable Object target,
            @Nullable Object[] args) {

        public String methodName() {
            return method.getName();
        }

        public Class<?> targetClass() {
            return target == null ? method.getDeclaringClass() : target.getClass();
        }
    }
}
