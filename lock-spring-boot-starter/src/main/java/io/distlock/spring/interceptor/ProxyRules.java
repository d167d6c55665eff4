package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Optional;
import org.springframework.aop.support.AopUtils;

/** Whether calls of a locked method pass a proxy. */
final class ProxyRules {

    private final Proxying proxying;
    private final AdviceRules advice;

    ProxyRules(Proxying proxying, AdviceRules advice) {
        this.proxying = proxying;
        this.advice = advice;
    }

    void check(String bean, Optional<Object> instance, LockedMethod method, Problems problems) {
        Class<?> type = method.targetClass();
        if (!proxying.isOn()) {
            problems.add(
                    "proxy",
                    "no bean is put behind a proxy, so nothing would be locked",
                    "Remove spring.aop.auto=false, or declare an auto-proxy creator");
        } else if (!proxying.isPossible(type)) {
            String obstacle = type.isSealed() ? "sealed" : "final";
            problems.add(
                    "class",
                    "the class is " + obstacle + ", so no proxy can be made that locks",
                    "Make it not " + obstacle + " (in Kotlin: open), or set spring.aop.proxy-target-class=false and"
                            + " call it through an interface");
        } else {
            boolean byClass =
                    instance.map(each -> !AopUtils.isJdkDynamicProxy(each)).orElseGet(() -> proxying.isByClass(type));
            checkModifiers(method, byClass, problems);
            instance.ifPresent(each -> advice.check(bean, each, method, problems));
        }
    }

    private static void checkModifiers(LockedMethod method, boolean byClass, Problems problems) {
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
        // A proxy stands in the package of the bean's class: it overrides what that class can see.
        boolean visible = Modifier.isPublic(modifiers)
                || Modifier.isProtected(modifiers)
                || method.getDeclaringClass()
                        .getPackageName()
                        .equals(locked.targetClass().getPackageName());
        return byClass && !visible ? "package-private" : "";
    }
}
