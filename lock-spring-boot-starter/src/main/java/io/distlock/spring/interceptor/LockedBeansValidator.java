package io.distlock.spring.interceptor;

import io.distlock.spring.execution.Executions;
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
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Resolves each locked method of each bean when the context starts, and fails start-up with one exception that lists
 * every problem. Initialises none of these beans: one that is lazy or not a singleton is checked by its type if that is known,
 * and otherwise when it is first called.
 *
 * <p>Also fails the start if a context above or below this one has locked methods, but no support for them: it would not lock
 * them, since post-processors work in their own context only.
 */
record LockedBeansValidator(ConfigurableListableBeanFactory beans, LockOperationSource source, Executions executions)
        implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

    private static final Logger log = LoggerFactory.getLogger(LockedBeansValidator.class);

    @Override
    public void afterSingletonsInstantiated() {
        Set<InvalidLockedMethodsException.Problem> problems = problems(true);
        for (BeanFactory each = beans.getParentBeanFactory();
                each instanceof HierarchicalBeanFactory context;
                each = context.getParentBeanFactory()) {
            problems.addAll(problemsElsewhere(each));
        }
        throwIfAny(problems);
        executions.requireExecutor();
    }

    /** Also when a child has started, which publishes its events here, too. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        throwIfAny(problemsElsewhere(event.getApplicationContext().getAutowireCapableBeanFactory()));
    }

    private static void throwIfAny(Set<InvalidLockedMethodsException.Problem> problems) {
        if (!problems.isEmpty()) {
            throw new InvalidLockedMethodsException(new ArrayList<>(problems));
        }
    }

    private Set<InvalidLockedMethodsException.Problem> problemsElsewhere(BeanFactory context) {
        return context instanceof ConfigurableListableBeanFactory other
                        && other.getBeanNamesForType(LockedBeansValidator.class, true, false).length == 0
                ? new LockedBeansValidator(other, source, executions).problems(false)
                : Set.of();
    }

    /** Two beans of one class have the same problems. */
    private Set<InvalidLockedMethodsException.Problem> problems(boolean isSupported) {
        Set<InvalidLockedMethodsException.Problem> problems = new LinkedHashSet<>();
        // Of bean definitions, and of singletons registered as objects.
        Iterable<String> names = beans::getBeanNamesIterator;
        for (String name : names) {
            Optional<Object> instance = instance(name);
            for (LockedMethod method : lockedMethods(name, instance)) {
                ProblemCollector found = new ProblemCollector(method.annotation(), method.describe());
                if (isSupported) {
                    new ProxyRules(beans).check(name, instance, method, found);
                    try {
                        source.resolve(method);
                    } catch (InvalidLockedMethodsException invalid) {
                        problems.addAll(invalid.problems());
                    }
                } else {
                    found.add(
                            "context",
                            "bean '" + name
                                    + "' is in a parent or child context without the auto-configuration of locks,"
                                    + " so the method would run without one",
                            "Add @EnableAutoConfiguration to a configuration of that context, or"
                                    + " @ImportAutoConfiguration with AopAutoConfiguration, LockAopAutoConfiguration and"
                                    + " LockTransactionAutoConfiguration, or move the bean");
                }
                problems.addAll(found.found());
            }
        }
        return problems;
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
