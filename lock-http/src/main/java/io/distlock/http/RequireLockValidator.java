package io.distlock.http;

import io.distlock.http.RequiredLocks.Requirement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Stops the start if a {@link RequireLock} cannot be used, or would be ignored, also in a context above or below this one: its
 * method would run without a lock.
 */
final class RequireLockValidator implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

    private final ConfigurableListableBeanFactory beans;
    private final RequiredLocks requirements;
    private final Advisor advisor;
    private final boolean reactive;
    private final Runnable receiver;

    /**
     * @param reactive whether requests are served by threads that must not block
     * @param receiver creates the beans that the annotation needs
     */
    RequireLockValidator(
            ConfigurableListableBeanFactory beans,
            RequiredLocks requirements,
            Advisor advisor,
            boolean reactive,
            Runnable receiver) {
        this.beans = beans;
        this.requirements = requirements;
        this.advisor = advisor;
        this.reactive = reactive;
        this.receiver = receiver;
    }

    @Override
    public void afterSingletonsInstantiated() {
        boolean required = false;
        for (String name : beans.getBeanDefinitionNames()) {
            required |= check(name, methods(beans, name));
        }
        for (BeanFactory each = beans.getParentBeanFactory();
                each instanceof HierarchicalBeanFactory context;
                each = context.getParentBeanFactory()) {
            requireSupport(each);
        }
        if (required) {
            // Reports its problems also at start-up.
            receiver.run();
        }
    }

    /** Also when a child has started, which publishes its events here, too. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        requireSupport(event.getApplicationContext().getAutowireCapableBeanFactory());
    }

    private static void requireSupport(BeanFactory context) {
        if (context instanceof ConfigurableListableBeanFactory other
                && other.getBeanNamesForType(RequireLockValidator.class, true, false).length == 0) {
            for (String name : other.getBeanDefinitionNames()) {
                methods(other, name).forEach(method -> {
                    throw ignored(
                            name,
                            method,
                            "it is in a parent or child context without the auto-configuration of lock-http; add"
                                    + " @EnableAutoConfiguration to a configuration of that context, or move the bean");
                });
            }
        }
    }

    private static IllegalStateException ignored(String bean, Method method, String problem) {
        return new IllegalStateException(
                "@RequireLock on " + method + " of bean '" + bean + "' would be ignored: " + problem);
    }

    private static Set<Method> methods(ConfigurableListableBeanFactory beans, String bean) {
        Class<?> type = type(beans, bean);
        return type == null || !AnnotationUtils.isCandidateClass(type, RequireLock.class)
                ? Set.of()
                : MethodIntrospector.selectMethods(
                        ClassUtils.getUserClass(type),
                        (Method method) -> AnnotatedElementUtils.hasAnnotation(method, RequireLock.class));
    }

    /** The proxy of an interface does not have the annotations of the class behind it. */
    private static @Nullable Class<?> type(ConfigurableListableBeanFactory beans, String bean) {
        Object created = beans.getSingleton(bean);
        return created == null || created instanceof FactoryBean
                ? beans.getType(bean, false)
                : AopProxyUtils.ultimateTargetClass(created);
    }

    private boolean check(String bean, Set<Method> methods) {
        methods.forEach(method -> {
            Requirement requirement = requirements.of(method);
            if (reactive && requirement.publisher() == null) {
                throw new IllegalStateException("@RequireLock on " + method + " of bean '" + bean
                        + "' cannot be checked in a WebFlux application, where no thread may wait for the lock store: let"
                        + " the method return a publisher, such as a Mono or a Flux");
            }
            problem(bean, method).ifPresent(problem -> {
                throw ignored(bean, method, problem);
            });
        });
        return !methods.isEmpty();
    }

    private Optional<String> problem(String bean, Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            return Optional.of("a private, static or final method cannot be intercepted; make it an ordinary method");
        }
        Object created = beans.getSingleton(bean);
        // A scoped proxy leads to a bean that has its own.
        boolean advised = created == null
                || created instanceof FactoryBean
                || (created instanceof Advised proxy
                        && Arrays.asList(proxy.getAdvisors()).contains(advisor));
        return advised
                ? Optional.empty()
                : Optional.of("the bean has no proxy; its class must not be final, and it must not be created before"
                        + " auto-proxying begins");
    }
}
