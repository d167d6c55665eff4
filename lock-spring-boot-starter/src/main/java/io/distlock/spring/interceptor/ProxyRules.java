package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/** Whether calls of a locked method go through a proxy, given how this application makes proxies. Thread-safe. */
record ProxyRules(ConfigurableListableBeanFactory beans) {

    void check(String bean, Optional<Object> instance, LockedMethod method, ProblemCollector problems) {
        Class<?> type = method.targetClass();
        if (!isOn()) {
            problems.add(
                    "proxy",
                    "no bean is put behind a proxy, so nothing would be locked",
                    "Remove spring.aop.auto=false, or declare an auto-proxy creator");
        } else if (!isPossible(type)) {
            String obstacle = type.isSealed() ? "sealed" : "final";
            problems.add(
                    "class",
                    "the class is " + obstacle + ", so no proxy can be made that locks",
                    "Make it not " + obstacle + " (in Kotlin: open), or set spring.aop.proxy-target-class=false and"
                            + " call it through an interface");
        } else {
            boolean byClass =
                    instance.map(each -> !AopUtils.isJdkDynamicProxy(each)).orElseGet(() -> isByClass(type));
            checkModifiers(method, byClass, problems);
            checkCallers(bean, method, problems);
            instance.ifPresent(each -> new AdvisorRules(new TestDoubles(beans)).check(bean, each, method, problems));
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
                    "Spring calls the method itself, on the bean and not on its proxy, and so without the lock",
                    "Lock what it does with LockTemplate, or do it in an @EventListener method for"
                            + " ApplicationReadyEvent or ContextClosedEvent. A close or shutdown method that does not end"
                            + " the bean: @Bean(destroyMethod = \"\")");
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
                || !(beans.getMergedBeanDefinition(bean) instanceof AbstractBeanDefinition definition)) {
            return false;
        }
        boolean closeable = AutoCloseable.class.isAssignableFrom(locked.targetClass());
        String destroy = definition.getDestroyMethodName();
        boolean inferred = AbstractBeanDefinition.INFER_METHOD.equals(destroy) || (destroy == null && closeable);
        return ObjectUtils.containsElement(definition.getInitMethodNames(), name)
                || (!definition.isPrototype()
                        && (ObjectUtils.containsElement(definition.getDestroyMethodNames(), name)
                                || (inferred && (name.equals("close") || (!closeable && name.equals("shutdown"))))));
    }

    private boolean isOn() {
        return beans.getBeanNamesForType(AbstractAutoProxyCreator.class, true, false).length > 0;
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
