package io.distlock.http;

import io.distlock.http.RequiredLocks.Requirement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** Stops the start if a {@link RequireLock} cannot be used, or would be ignored: its method would run without a lock. */
final class RequireLockValidator implements SmartInitializingSingleton {

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
            Class<?> type = type(name);
            if (type != null && AnnotationUtils.isCandidateClass(type, RequireLock.class)) {
                required |= check(name, ClassUtils.getUserClass(type));
            }
        }
        if (required) {
            // Reports its problems also at start-up.
            receiver.run();
        }
    }

    /** The proxy of an interface does not have the annotations of the class behind it. */
    private @Nullable Class<?> type(String bean) {
        Object created = beans.getSingleton(bean);
        return created == null || created instanceof FactoryBean
                ? beans.getType(bean, false)
                : AopProxyUtils.ultimateTargetClass(created);
    }

    private boolean check(String bean, Class<?> type) {
        Map<Method, RequireLock> methods = MethodIntrospector.selectMethods(
                type, (Method method) -> AnnotatedElementUtils.findMergedAnnotation(method, RequireLock.class));
        methods.keySet().forEach(method -> {
            Requirement requirement = requirements.of(method);
            if (reactive && requirement.publisher() == null) {
                throw new IllegalStateException("@RequireLock on " + method + " of bean '" + bean
                        + "' cannot be checked in a WebFlux application, where no thread may wait for the lock store: let"
                        + " the method return a publisher, such as a Mono or a Flux");
            }
            problem(bean, method).ifPresent(problem -> {
                throw new IllegalStateException(
                        "@RequireLock on " + method + " of bean '" + bean + "' would be ignored: " + problem);
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
