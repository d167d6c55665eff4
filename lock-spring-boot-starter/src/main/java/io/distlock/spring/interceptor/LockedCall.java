package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method, as key expressions see it: {@code #root}.
 *
 * @param method the most specific one
 * @param target the bean behind the proxy
 * @param args as they were passed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record LockedCall(
        Method method, @Nullable Object target, @Nullable Object[] args) {

    /** The arguments as they are written; compiled, a suspending function has one more. */
    @Nullable
    Object[] written() {
        return Arrays.copyOf(args, SuspendingFunctions.parameterTypes(method).length);
    }

    public String methodName() {
        return method.getName();
    }

    public Class<?> targetClass() {
        return target == null ? method.getDeclaringClass() : target.getClass();
    }
}
