package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;

/**
 * Kotlin's suspending functions. A Spring proxy calls one as a publisher, which runs the function on subscription, and
 * suspends the caller until the publisher returned by the advice ends. To the lock, it is a publisher like any other.
 */
final class SuspendingFunctions {

    /** Whether the libraries are there by which Spring calls one. */
    static final boolean CAN_BE_CALLED = isPresent("kotlinx.coroutines.reactor.MonoKt")
            && isPresent("kotlin.reflect.full.KCallables")
            && isPresent("reactor.core.publisher.Mono");

    private SuspendingFunctions() {}

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, SuspendingFunctions.class.getClassLoader());
    }

    static boolean isOne(Method method) {
        return KotlinDetector.isSuspendingFunction(method);
    }

    /** As declared in source, not as compiled. */
    static Class<?> returnType(Method method) {
        return new MethodParameter(method, -1).getParameterType();
    }

    /** The parameters as declared in source: the compiler adds one at the end, for the continuation. */
    static Class<?>[] parameterTypes(Method method) {
        Class<?>[] compiled = method.getParameterTypes();
        return isOne(method) ? Arrays.copyOf(compiled, compiled.length - 1) : compiled;
    }
}
