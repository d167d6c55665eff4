package io.distlock.spring.interceptor;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Resolves each locked method of each bean when the context starts, and fails start-up with one exception that lists
 * every problem. Initialises no bean: a bean that is lazy or not a singleton is checked by its type if that is known,
 * and otherwise when it is first called.
 */
record LockedBeansValidator(ConfigurableListableBeanFactory beans, LockOperationSource source)
        implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(LockedBeansValidator.class);

    @Override
    public void afterSingletonsInstantiated() {
        // Two beans of one class have the same problems.
        Set<InvalidLockedMethodsException.Problem> problems = new LinkedHashSet<>();
        // Of bean definitions, and of singletons registered as objects.
        Iterable<String> names = beans::getBeanNamesIterator;
        for (String name : names) {
            Optional<Object> instance = instance(name);
            for (LockedMethod method : lockedMethods(name, instance)) {
                ProblemCollector found = new ProblemCollector(method);
                new ProxyRules(beans).check(name, instance, method, found);
                try {
                    source.resolve(method);
                } catch (InvalidLockedMethodsException invalid) {
                    problems.addAll(invalid.problems());
                }
                problems.addAll(found.found());
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidLockedMethodsException(new ArrayList<>(problems));
        }
    }

    /** The bean, if it exists already and was not made by a factory. */
    private Optional<Object> instance(String name) {
        Object singleton = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
        return singleton instanceof FactoryBean ? Optional.empty() : Optional.ofNullable(singleton);
    }

    private Collection<LockedMethod> lockedMethods(String name, Optional<Object> instance) {
        try {
            Class<?> type =
                    instance.<Class<?>>map(AopProxyUtils::ultimateTargetClass).orElseGet(() -> type(name));
            return type == null ? List.of() : source.lockedMethods(type);
        } catch (RuntimeException | LinkageError unreadable) {
            // A class that cannot be loaded or inspected is reported when it is used, if it ever is.
            log.debug("Cannot look for locked methods in bean '{}'", name, unreadable);
            return List.of();
        }
    }

    private @Nullable Class<?> type(String name) {
        boolean isAbstract = beans.containsBeanDefinition(name)
                && beans.getMergedBeanDefinition(name).isAbstract();
        return isAbstract ? null : beans.getType(name, false);
    }
}
