package io.distlock.spring.interceptor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;

/** Whether an existing bean has the lock among its advisors, in a position where it takes effect. */
record AdvisorRules(TestDoubles testDoubles) {

    /** By name: transactions are optional. */
    private static final String TRANSACTION_ADVISOR =
            "org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor";

    void check(String bean, Object instance, LockedMethod method, ProblemCollector problems) {
        List<Advisor> advisors = advisors(instance);
        int lock = firstIndex(advisors, LockAdvisor.class::isInstance);
        if (lock >= 0) {
            checkOrder(advisors, lock, method, problems);
        } else if (!isOpaque(instance) && !testDoubles.contain(instance)) {
            problems.add(
                    "bean",
                    "the bean '" + bean
                            + "' is not behind a proxy that locks, so the method would run without its lock",
                    "It was made before proxies are: because a BeanPostProcessor or a BeanFactoryPostProcessor needs it"
                            + " (let that one take an ObjectProvider or a @Lazy parameter, and its @Bean method be"
                            + " static), or by hand (register a bean definition, not a singleton)");
        }
    }

    /** Whether this is a proxy that hides its advisors. */
    private static boolean isOpaque(Object instance) {
        return instance instanceof SpringProxy && !(instance instanceof Advised);
    }

    private static void checkOrder(List<Advisor> advisors, int lock, LockedMethod method, ProblemCollector problems) {
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
        return IntStream.range(0, advisors.size())
                .filter(index -> wanted.test(advisors.get(index)))
                .findFirst()
                .orElse(-1);
    }
}
