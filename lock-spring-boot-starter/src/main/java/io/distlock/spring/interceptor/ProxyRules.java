package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;

/** Whether calls of a locked method pass a proxy, and the proxy locks. */
final class ProxyRules {

    private static final Logger log = LoggerFactory.getLogger(ProxyRules.class);

    /** By name: transactions are optional. */
    private static final String TRANSACTION_ADVISOR =
            "org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor";

    private final Proxying proxying;

    ProxyRules(Proxying proxying) {
        this.proxying = proxying;
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
            instance.ifPresent(each -> checkAdvice(bean, each, method, problems));
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

    private static void checkAdvice(String bean, Object instance, LockedMethod method, Problems problems) {
        List<Advisor> advisors = advisors(instance);
        int lock = firstIndex(advisors, LockAdvisor.class::isInstance);
        if (lock < 0) {
            // No problem by itself: a mock that stands in for the bean in a test looks just like this.
            log.warn(
                    "Bean '{}' is not behind a proxy that locks, so {} is called without its lock. It was probably"
                            + " created too early, as a dependency of a BeanPostProcessor: inject it there lazily",
                    bean,
                    method.describe());
            return;
        }
        int transaction = firstIndex(advisors, advisor -> isTransactionOf(advisor, method));
        if (transaction >= 0 && transaction < lock) {
            problems.add(
                    "order",
                    "the lock is inside the transaction and would be free before the commit",
                    "Make distributed-lock.advisor-order lower than the order of @EnableTransactionManagement");
        }
        int async = firstIndex(advisors, advisor -> isAsyncOf(advisor, method));
        if (async > lock
                && !CompletionStage.class.isAssignableFrom(method.method().getReturnType())) {
            problems.add(
                    "order",
                    "the method is handed to another thread inside the lock, which would be free before it has run",
                    "Let @EnableAsync put its advisor before all others, or return a CompletableFuture");
        }
    }

    /** Those of a proxy around a proxy first. */
    private static List<Advisor> advisors(Object instance) {
        List<Advisor> advisors = new ArrayList<>();
        Object each = instance;
        while (each instanceof Advised advised) {
            advisors.addAll(Arrays.asList(advised.getAdvisors()));
            each = AopProxyUtils.getSingletonTarget(each);
        }
        return advisors;
    }

    private static boolean isAsyncOf(Advisor advisor, LockedMethod method) {
        return advisor instanceof AsyncAnnotationAdvisor async
                && async.getPointcut().getMethodMatcher().matches(method.method(), method.targetClass());
    }

    private static boolean isTransactionOf(Advisor advisor, LockedMethod method) {
        return advisor instanceof PointcutAdvisor pointcut
                && advisor.getClass().getName().equals(TRANSACTION_ADVISOR)
                && pointcut.getPointcut().getMethodMatcher().matches(method.method(), method.targetClass());
    }

    private static int firstIndex(List<Advisor> advisors, Predicate<Advisor> wanted) {
        for (int index = 0; index < advisors.size(); index++) {
            if (wanted.test(advisors.get(index))) {
                return index;
            }
        }
        return -1;
    }
}
