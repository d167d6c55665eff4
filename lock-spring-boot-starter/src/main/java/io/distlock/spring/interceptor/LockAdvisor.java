package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Applies {@link LockInterceptor} to each method to be locked. */
final class LockAdvisor extends DefaultPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    LockAdvisor(LockOperationSource source, ConfigurableListableBeanFactory beans, int order) {
        super(new LockPointcut(source, new ProxyRules(beans)), new LockInterceptor(source));
        setOrder(order);
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
