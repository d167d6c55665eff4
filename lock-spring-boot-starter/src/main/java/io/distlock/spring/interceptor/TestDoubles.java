package io.distlock.spring.interceptor;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Mocks, spies and other objects that replace beans in tests. They are registered ready-made and deliberately never
 * proxied. Depends on no test library.
 */
record TestDoubles(ConfigurableListableBeanFactory beans) {

    /** Registered in a context in which Spring's test framework replaces beans. */
    private static final String BEAN_OVERRIDES =
            "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

    /** Whether the object is a mock or a spy, or belongs to a context in which a test replaces beans. */
    boolean contain(Object instance) {
        Object target = AopProxyUtils.getSingletonTarget(instance);
        return beans.containsSingleton(BEAN_OVERRIDES) || isMock(instance) || (target != null && isMock(target));
    }

    /** Asks Mockito: the classes of most of its mocks look like any other. */
    private static boolean isMock(Object instance) {
        ClassLoader loader = instance.getClass().getClassLoader();
        if (!ClassUtils.isPresent("org.mockito.Mockito", loader)) {
            return false;
        }
        Class<?> mockito = ClassUtils.resolveClassName("org.mockito.Mockito", loader);
        Method details = ClassUtils.getMethod(mockito, "mockingDetails", Object.class);
        Object answer = ReflectionUtils.invokeMethod(details, null, instance);
        return answer != null && Boolean.TRUE.equals(isMock(details.getReturnType(), answer));
    }

    private static @Nullable Object isMock(Class<?> type, Object details) {
        return ReflectionUtils.invokeMethod(ClassUtils.getMethod(type, "isMock"), details);
    }
}
