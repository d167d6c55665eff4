package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Puts the interceptor around each method that is to be locked. */
public final class LockAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient LockInterceptor interceptor;
    private final transient LockPointcut pointcut;

    /**
     * With a place among the other advisors.
     *
     * @param order lower is further out
     */
    public LockAdvisor(LockOperations operations, LockInterceptor interceptor, Proxying proxying, int order) {
        this.interceptor = interceptor;
        this.pointcut = new LockPointcut(operations, proxying);
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

        private final LockOperations operations;

        LockPointcut(LockOperations operations, Proxying proxying) {
            this.operations = operations;
            setClassFilter(new Lockable(operations, proxying));
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return operations.find(method, targetClass).isPresent();
        }
    }

    /**
     * Leaves out a class of which no proxy can be made: the start-up check reports it together with whatever else
     * is wrong, where the attempt would end the start with it alone.
     */
    private record Lockable(LockOperations operations, Proxying proxying) implements ClassFilter {

        @Override
        public boolean matches(Class<?> type) {
            return operations.annotations().isCandidate(type) && proxying.isPossible(type);
        }
    }
}
