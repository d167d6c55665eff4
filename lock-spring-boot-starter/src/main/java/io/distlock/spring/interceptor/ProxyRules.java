package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Whether calls of a locked method go through a proxy, given how this application makes proxies. Thread-safe. */
final class ProxyRules {

    private final ConfigurableListableBeanFactory beans;
    private final AdvisorRules advisors;

    ProxyRules(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
        this.advisors = new AdvisorRules(new TestDoubles(beans));
    }

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
            instance.ifPresent(each -> advisors.check(bean, each, method, problems));
        }
    }

    private static void checkModifiers(LockedMethod method, boolean byClass, ProblemCollector problems) {
        String obstacle = obstacle(method, byClass);
        if (!obstacle.isEmpty()) {
            problems.add(
                    "method",
                    "the method is " + obstacle + ", so calls pass by the proxy and take no lock",
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
