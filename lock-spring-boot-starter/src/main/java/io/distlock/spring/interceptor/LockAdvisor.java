package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Applies {@link LockInterceptor} to each method to be locked. */
final class LockAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient LockInterceptor interceptor;
    private final transient LockPointcut pointcut;

    /**
     * @param order lower is further out
     */
    LockAdvisor(LockOperationSource source, ConfigurableListableBeanFactory beans, int order) {
        this.interceptor = new LockInterceptor(source);
        this.pointcut = new LockPointcut(source, new ProxyRules(beans));
        setOrder(order);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return interceptor;
    }

    private static final class LockPointcut extends StaticMethodMatcherPointcut {

        private final LockOperationSource source;

        LockPointcut(LockOperationSource source, ProxyRules proxies) {
            this.source = source;
            // Not a class that cannot be proxied: the start-up check reports it along with all other problems, whereas
            // trying would fail start-up with this one alone.
            setClassFilter(type -> LockOperationSource.isCandidate(type) && proxies.isPossible(type));
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return source.isLocked(method, targetClass);
        }
    }
}
