package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/** Whether calls of a locked method go through a proxy that locks, in a position where the lock takes effect. */
record ProxyRules(ConfigurableListableBeanFactory beans) {

    /** By name: transactions are optional. */
    private static final String TRANSACTION_ADVISOR =
            "org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor";

    /** Registered in a context in which Spring's test framework replaces beans. */
    private static final String BEAN_OVERRIDES =
            "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

    void check(String bean, Optional<Object> instance, LockedMethod method, ProblemCollector problems) {
        Class<?> type = method.targetClass();
        if (beans.getBeanNamesForType(AbstractAutoProxyCreator.class, true, false).length == 0) {
            problems.add(
                    "proxy",
                    "beans are not proxied, so no method would be locked",
                    "Remove spring.aop.auto=false, or declare an auto-proxy creator");
        } else if (!isPossible(type)) {
            String obstacle = type.isSealed() ? "sealed" : "final";
            problems.add(
                    "class",
                    "the class is " + obstacle + ", so it cannot be proxied",
                    "Make it not " + obstacle + " (in Kotlin: open), or set spring.aop.proxy-target-class=false and"
                            + " call it through an interface");
        } else {
            boolean byClass =
                    instance.map(each -> !AopUtils.isJdkDynamicProxy(each)).orElseGet(() -> isByClass(type));
            checkModifiers(method, byClass, problems);
            checkCallers(bean, method, problems);
            instance.ifPresent(each -> checkAdvisors(bean, each, method, problems));
        }
    }

    private static void checkModifiers(LockedMethod method, boolean byClass, ProblemCollector problems) {
        String obstacle = obstacle(method, byClass);
        if (!obstacle.isEmpty()) {
            problems.add(
                    "method",
                    "the method is " + obstacle + ", so calls bypass the proxy and take no lock",
                    "Make it not " + obstacle + (obstacle.equals("final") ? " (in Kotlin: open)" : ""));
        }
    }

    private static String obstacle(LockedMethod locked, boolean byClass) {
        Method method = locked.method();
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "private";
        } else if (Modifier.isStatic(modifiers)) {
            return "static";
        } else if (byClass && Modifier.isFinal(modifiers)) {
            return "final";
        }
        // A proxy is in the package of the bean's class: it overrides what that class can see.
        boolean visible = Modifier.isPublic(modifiers)
                || Modifier.isProtected(modifiers)
                || method.getDeclaringClass()
                        .getPackageName()
                        .equals(locked.targetClass().getPackageName());
        return byClass && !visible ? "package-private" : "";
    }

    /** A lock on the type does not mean these methods. */
    private void checkCallers(String bean, LockedMethod locked, ProblemCollector problems) {
        if (!locked.onType()
                && (isCallback(locked.method(), locked.targetClass()) || isNamedByDefinition(bean, locked))) {
            problems.add(
                    "method",
                    "Spring calls this method on the bean itself, not on its proxy, so without the lock",
                    "Lock its work with LockTemplate, or do it in an @EventListener method for"
                            + " ApplicationReadyEvent or ContextClosedEvent. If a close or shutdown method is not"
                            + " meant to be called at the end: @Bean(destroyMethod = \"\")");
        }
    }

    private static boolean isCallback(Method method, Class<?> type) {
        MergedAnnotations annotations = MergedAnnotations.from(method);
        Stream<Class<?>> aware =
                Stream.of(ClassUtils.getAllInterfacesForClass(type)).filter(Aware.class::isAssignableFrom);
        return annotations.isPresent("jakarta.annotation.PostConstruct")
                || annotations.isPresent("jakarta.annotation.PreDestroy")
                || Stream.concat(Stream.of(InitializingBean.class, DisposableBean.class), aware)
                        .filter(callback -> callback.isAssignableFrom(type))
                        .anyMatch(callback ->
                                ClassUtils.hasMethod(callback, method.getName(), method.getParameterTypes()));
    }

    /** As the method that begins or ends the bean, or as the one that Spring infers to end it. */
    private boolean isNamedByDefinition(String bean, LockedMethod locked) {
        String name = locked.method().getName();
        if (locked.method().getParameterCount() > 0
                || !beans.containsBeanDefinition(bean)
                || beans.isFactoryBean(bean)
                || !(beans.getMergedBeanDefinition(bean) instanceof RootBeanDefinition definition)) {
            return false;
        }
        RootBeanDefinition resolved = new RootBeanDefinition(definition);
        resolved.setTargetType(locked.targetClass());
        resolved.resolveDestroyMethodIfNecessary();
        return ObjectUtils.containsElement(definition.getInitMethodNames(), name)
                || (!definition.isPrototype() && ObjectUtils.containsElement(resolved.getDestroyMethodNames(), name));
    }

    private void checkAdvisors(String bean, Object instance, LockedMethod method, ProblemCollector problems) {
        List<Advisor> advisors = advisors(instance);
        if (advisors.stream().noneMatch(LockAdvisor.class::isInstance)) {
            boolean isOpaque = instance instanceof SpringProxy && !(instance instanceof Advised);
            // Mocks and other objects that replace beans in tests are deliberately never proxied.
            if (!isOpaque && !beans.containsSingleton(BEAN_OVERRIDES)) {
                problems.add(
                        "bean",
                        "the bean '" + bean
                                + "' has no proxy that acquires the lock, so the method would run without it",
                        "It was created before proxies could be. If a BeanPostProcessor or BeanFactoryPostProcessor"
                                + " needs it, let that one take an ObjectProvider or a @Lazy parameter, and make its"
                                + " @Bean method static. If it was registered as a singleton, register a bean definition"
                                + " instead");
            }
            return;
        }
        Predicate<Advisor> isOther = each -> !(each instanceof LockAdvisor);
        if (advisors.stream()
                .takeWhile(isOther)
                .anyMatch(each -> each.getClass().getName().equals(TRANSACTION_ADVISOR) && isFor(method, each))) {
            problems.add(
                    "order",
                    "the lock is inside the transaction and would be free before the commit",
                    "Make distributed-lock.advisor-order lower than the order of @EnableTransactionManagement");
        }
        if (advisors.stream()
                .dropWhile(isOther)
                .anyMatch(each -> each instanceof AsyncAnnotationAdvisor && isFor(method, each))) {
            problems.add(
                    "order",
                    "the method runs on another thread, so the lock would block the caller or be released before the"
                            + " method has run",
                    "Remove the order of @EnableAsync, which puts its advice outside all others by default");
        }
    }

    /** Outermost proxy first. */
    private static List<Advisor> advisors(Object instance) {
        List<Advisor> advisors = new ArrayList<>();
        Object each = instance;
        while (each instanceof Advised advised) {
            advisors.addAll(Arrays.asList(advised.getAdvisors()));
            each = AopProxyUtils.getSingletonTarget(each);
        }
        return advisors;
    }

    private static boolean isFor(LockedMethod method, Advisor advisor) {
        return advisor instanceof PointcutAdvisor pointcut
                && pointcut.getPointcut().getMethodMatcher().matches(method.method(), method.targetClass());
    }

    /** Whether a bean's proxy is a subclass of its class; if not, it only implements the interfaces. */
    private boolean isByClass(Class<?> type) {
        if (type.isInterface() || Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type)) {
            return false;
        }
        return isClassPreferred() || ClassUtils.getAllInterfacesForClass(type).length == 0;
    }

    boolean isPossible(Class<?> type) {
        return !isByClass(type) || !(Modifier.isFinal(type.getModifiers()) || type.isSealed());
    }

    private boolean isClassPreferred() {
        String name = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
        return !beans.containsBean(name)
                || !(beans.getBean(name) instanceof ProxyConfig creator)
                || creator.isProxyTargetClass();
    }
}
