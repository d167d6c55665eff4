package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/** Whether what a fallback returns and throws can take the place of what the locked method does. */
final class FallbackTypes {

    private FallbackTypes() {}

    static void check(LockedMethod locked, Method fallback, String attribute, Problems problems) {
        if (!returnsAsMuch(locked, fallback)) {
            problems.add(
                    attribute,
                    fallback + " returns what this method does not",
                    "Let it return " + ResolvableType.forMethodReturnType(locked.method(), locked.targetClass()));
        }
        Arrays.stream(fallback.getExceptionTypes())
                .filter(thrown -> !ReflectionUtils.declaresException(locked.method(), thrown))
                .filter(FallbackTypes::isChecked)
                .forEach(thrown -> problems.add(
                        attribute,
                        fallback + " throws " + thrown.getName() + ", which this method does not declare",
                        "Declare it on both, or on none"));
    }

    private static boolean returnsAsMuch(LockedMethod locked, Method fallback) {
        if (SuspendingFunctions.isOne(fallback)) {
            return SuspendingFunctions.returnType(locked.method())
                    .isAssignableFrom(SuspendingFunctions.returnType(fallback));
        }
        Class<?> wanted = locked.method().getReturnType();
        if (wanted == void.class || wanted.isPrimitive()) {
            return fallback.getReturnType() == wanted;
        }
        ResolvableType type = ResolvableType.forMethodReturnType(locked.method(), locked.targetClass());
        ResolvableType given = ResolvableType.forMethodReturnType(fallback, locked.targetClass());
        boolean isOpen = type.hasUnresolvableGenerics() || given.hasUnresolvableGenerics();
        return isOpen ? wanted.isAssignableFrom(fallback.getReturnType()) : type.isAssignableFrom(given);
    }

    private static boolean isChecked(Class<?> thrown) {
        return !RuntimeException.class.isAssignableFrom(thrown) && !Error.class.isAssignableFrom(thrown);
    }
}
