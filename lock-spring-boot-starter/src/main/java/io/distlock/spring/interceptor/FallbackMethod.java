package io.distlock.spring.interceptor;

import io.distlock.LockException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A method that is called in place of a locked one.
 *
 * @param method accessible
 * @param takesReason whether its last parameter is the reason why the locked one did not run
 */
record FallbackMethod(Method method, boolean takesReason) {

    /** Calls it on the bean itself and not through its proxy, with the arguments of the call. */
    @Nullable
    Object invoke(LockedCall call, LockException why) throws Throwable {
        @Nullable Object[] args = call.written();
        if (takesReason) {
            args = Arrays.copyOf(args, args.length + 1);
            args[args.length - 1] = why;
        }
        if (SuspendingFunctions.isOne(method)) {
            return SuspendingFunctions.call(method, call.target(), args, call.args());
        }
        try {
            return method.invoke(call.target(), args);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
    }
}
