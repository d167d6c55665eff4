package io.distlock.spring.interceptor;

import io.distlock.spring.LockClients;
import io.distlock.spring.execution.Executions;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;

/**
 * The lock operations of all methods, each resolved once, when it is first asked for. Asks for no other bean before
 * that, so that it can stand among the infrastructure. Thread-safe.
 */
public final class LockOperations {

    private final LockAnnotations annotations = new LockAnnotations();
    private final Map<MethodClassKey, LockPlan> resolved = new ConcurrentHashMap<>();
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final LockOperationParser parser;

    public LockOperations(ConfigurableListableBeanFactory beans, Executions executions) {
        this.parser = new LockOperationParser(beans, beans.getBeanProvider(LockClients.class), executions);
    }

    LockAnnotations annotations() {
        return annotations;
    }

    Optional<LockedMethod> find(Method method, @Nullable Class<?> targetClass) {
        return annotations.find(method, targetClass);
    }

    Collection<LockedMethod> all(Class<?> targetClass) {
        return annotations.all(targetClass);
    }

    /**
     * How a method is locked.
     *
     * @throws InvalidLockedMethodsException if it cannot be, with all the reasons
     */
    LockPlan resolve(LockedMethod method) {
        MethodClassKey key = new MethodClassKey(method.method(), method.targetClass());
        LockPlan known = resolved.get(key);
        if (known == null) {
            // Outside the map's lock: resolving asks for beans. Done twice at worst, with the same result.
            known = parser.parse(method);
            resolved.put(key, known);
            known.operations().forEach(operation -> names.add(operation.name()));
        }
        return known;
    }

    /** Whether a lock of this name stands at a method that has been resolved. */
    public boolean declares(String name) {
        return names.contains(name);
    }
}
