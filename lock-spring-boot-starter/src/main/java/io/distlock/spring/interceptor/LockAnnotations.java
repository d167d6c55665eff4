package io.distlock.spring.interceptor;

import io.distlock.spring.DistributedLock;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds {@link DistributedLock}: on the most specific method, on what it overrides or implements, then on the bean's
 * type and the types above it. Each answer is remembered. Thread-safe.
 */
final class LockAnnotations {

    private final Map<MethodClassKey, Optional<LockedMethod>> found = new ConcurrentHashMap<>();

    /** Whether it is worth to look at a class's methods. */
    boolean isCandidate(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, DistributedLock.class);
    }

    /** The annotations for a method that is called on a bean of a class. */
    Optional<LockedMethod> find(Method method, @Nullable Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass == null ? method.getDeclaringClass() : targetClass);
        MethodClassKey key = new MethodClassKey(method, type);
        Optional<LockedMethod> known = found.get(key);
        if (known == null) {
            known = look(method, type);
            found.put(key, known);
        }
        return known;
    }

    /** All methods of a class that are to be locked, those that cannot be included. */
    Collection<LockedMethod> all(Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        return MethodIntrospector.selectMethods(
                        type, (Method method) -> find(method, type).orElse(null))
                .values();
    }

    private static Optional<LockedMethod> look(Method method, Class<?> type) {
        if (ReflectionUtils.isObjectMethod(method)) {
            return Optional.empty();
        }
        Method specific = mostSpecific(method, type);
        return onMethod(specific)
                .or(() -> onMethod(method))
                .map(annotations -> new LockedMethod(specific, type, annotations, false))
                .or(() ->
                        onType(specific, type).map(annotations -> new LockedMethod(specific, type, annotations, true)));
    }

    /** Of a proxy or a lambda the interface's method: a generated class has another name in each process. */
    private static Method mostSpecific(Method method, Class<?> type) {
        if (Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type)) {
            return ClassUtils.getInterfaceMethodIfPossible(method, type);
        }
        return BridgeMethodResolver.getMostSpecificMethod(method, type);
    }

    private static Optional<List<MergedAnnotation<DistributedLock>>> onMethod(Method method) {
        return present(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY));
    }

    private static Optional<List<MergedAnnotation<DistributedLock>>> onType(Method method, Class<?> type) {
        if (Modifier.isStatic(method.getModifiers()) || Modifier.isPrivate(method.getModifiers())) {
            return Optional.empty();
        }
        return present(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY));
    }

    private static Optional<List<MergedAnnotation<DistributedLock>>> present(MergedAnnotations annotations) {
        MergedAnnotation<DistributedLock> nearest = annotations.get(DistributedLock.class);
        if (!nearest.isPresent()) {
            return Optional.empty();
        }
        // All that stand where the nearest does; what stands further up is overridden by it.
        return Optional.of(annotations.stream(DistributedLock.class)
                .filter(each -> each.getAggregateIndex() == nearest.getAggregateIndex())
                .toList());
    }
}
