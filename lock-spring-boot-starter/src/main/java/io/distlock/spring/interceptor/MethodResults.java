package io.distlock.spring.interceptor;

import io.distlock.spring.OnNotAcquired;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * What a locked method returns.
 *
 * @param skipped in place of the result when the method is skipped
 * @param mayBeAnything whether the declared type does not tell if the work is over when the method returns
 */
record MethodResults(@Nullable Object skipped, boolean mayBeAnything) {

    private static final String NOT_YET = "The lock would be given back before the work is done, so this is not"
            + " supported yet: lock a method that does the work before it returns";

    static MethodResults check(LockedMethod method, OnNotAcquired onNotAcquired, Problems problems) {
        Class<?> type = ResolvableType.forMethodReturnType(method.method(), method.targetClass())
                .resolve(method.method().getReturnType());
        whyAsynchronous(method, type).ifPresent(why -> problems.add("return type", why, NOT_YET));
        if (onNotAcquired == OnNotAcquired.SKIP && type.isPrimitive() && type != void.class) {
            problems.add(
                    "onNotAcquired",
                    "SKIP has no empty value for the return type " + type,
                    "Return " + wrapper(type) + " or an Optional, or use THROW");
        }
        return new MethodResults(emptyValue(type), type == Object.class);
    }

    /**
     * Refuses a result that stands for work that is still going on.
     *
     * @throws IllegalStateException if it does
     */
    @Nullable
    Object requireDone(@Nullable Object result, Method method) {
        if (mayBeAnything && result != null && isAsynchronous(result.getClass())) {
            throw new IllegalStateException(
                    method + " returned a " + result.getClass().getName()
                            + " whose work may go on although the lock has been given back. " + NOT_YET);
        }
        return result;
    }

    private static Optional<String> whyAsynchronous(LockedMethod locked, Class<?> type) {
        Method method = locked.method();
        if (KotlinDetector.isSuspendingFunction(method)) {
            return Optional.of("it is a suspending function");
        }
        if (isAsynchronous(type)) {
            return Optional.of("it returns " + type.getName() + " before its work is done");
        }
        boolean async =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(Async.class)
                        || MergedAnnotations.from(locked.targetClass(), SearchStrategy.TYPE_HIERARCHY)
                                .isPresent(Async.class);
        return async ? Optional.of("it is @Async") : Optional.empty();
    }

    private static boolean isAsynchronous(Class<?> type) {
        return Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || Flow.Publisher.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
    }

    private static @Nullable Object emptyValue(Class<?> type) {
        if (type == Optional.class) {
            return Optional.empty();
        } else if (type == OptionalInt.class) {
            return OptionalInt.empty();
        } else if (type == OptionalLong.class) {
            return OptionalLong.empty();
        } else if (type == OptionalDouble.class) {
            return OptionalDouble.empty();
        }
        return null;
    }

    private static String wrapper(Class<?> primitive) {
        return ClassUtils.resolvePrimitiveIfNecessary(primitive).getSimpleName();
    }
}
