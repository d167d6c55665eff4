package io.distlock.spring.interceptor;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.leader.LeaderOnly;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;

/** The most specific method of a bean's class, which actually runs, and the annotations found for it or on its type. */
record LockedMethod(
        Method method,
        Class<?> targetClass,
        List<MergedAnnotation<DistributedLock>> annotations,
        Optional<MergedAnnotation<LeaderOnly>> leaderOnly,
        boolean onType) {

    /** The one to blame for what is true of the method itself. */
    Class<? extends Annotation> annotation() {
        return annotations.isEmpty() ? LeaderOnly.class : DistributedLock.class;
    }

    /** {@code OrderService.ship}; the same in any process that runs this code. */
    String defaultName() {
        return simpleName(method.getDeclaringClass()) + "." + method.getName();
    }

    /** The class in which to look for other methods: a generated class has none of its own. */
    Class<?> lookupType() {
        return Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass)
                ? method.getDeclaringClass()
                : targetClass;
    }

    /** For messages: {@code com.acme.OrderService.ship(long, String)}. */
    String describe() {
        Class<?> declaring = method.getDeclaringClass();
        Class<?> owner = declaring.isInterface() ? declaring : lookupType();
        return Arrays.stream(SuspendingFunctions.parameterTypes(method))
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", owner.getTypeName() + "." + method.getName() + "(", ")"));
    }

    /** An anonymous class has no simple name. */
    private static String simpleName(Class<?> type) {
        String simple = type.getSimpleName();
        return simple.isEmpty() ? type.getName().substring(type.getPackageName().length() + 1) : simple;
    }
}
