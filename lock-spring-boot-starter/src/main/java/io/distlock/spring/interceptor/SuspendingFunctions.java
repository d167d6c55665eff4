package io.distlock.spring.interceptor;

import io.distlock.spring.execution.Executions;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Kotlin's suspending functions. A Spring proxy calls one as a publisher, which runs the function on subscription, and
 * suspends the caller until the publisher returned by the advice ends. To the lock, it is a publisher like any other.
 */
final class SuspendingFunctions {

    private static final boolean CAN_BE_CALLED = isPresent("kotlinx.coroutines.reactor.MonoKt")
            && isPresent("kotlin.reflect.full.KCallables")
            && isPresent("reactor.core.publisher.Mono");

    private SuspendingFunctions() {}

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, SuspendingFunctions.class.getClassLoader());
    }

    static boolean isOne(Method method) {
        return KotlinDetector.isSuspendingFunction(method);
    }

    static Optional<ReturnTypes.Handling> handling(Method method, Executions executions, ProblemCollector problems) {
        if (!CAN_BE_CALLED) {
            problems.add(
                    ReturnTypes.ATTRIBUTE,
                    "the libraries for calling a suspending function through a proxy are missing",
                    "Add kotlinx-coroutines-reactor and kotlin-reflect");
            return Optional.empty();
        }
        Class<?> type = returnType(method);
        boolean isFlow = type.getName().equals("kotlinx.coroutines.flow.Flow");
        if (!isFlow && ReturnTypes.isAsynchronous(type)) {
            problems.add(
                    ReturnTypes.ATTRIBUTE,
                    "it cannot be determined when the work of a suspending function that returns a " + type.getName()
                            + " ends",
                    "Return the value, or a Flow, or let the function not suspend");
            return Optional.empty();
        }
        ReactiveAdapter adapter = Objects.requireNonNull(
                ReactiveAdapterRegistry.getSharedInstance().getAdapter(isFlow ? Flux.class : Mono.class));
        boolean hasEmptyValue =
                isFlow || type == void.class || Nullness.forMethodReturnType(method) == Nullness.NULLABLE;
        return Optional.of(ReturnTypes.publisher(executions, adapter, hasEmptyValue, type));
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
