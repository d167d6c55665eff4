package io.distlock.spring.interceptor;

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** How this application makes proxies. Thread-safe. */
public final class Proxying {

    private final ConfigurableListableBeanFactory beans;

    public Proxying(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Whether beans are put behind proxies at all. */
    boolean isOn() {
        return beans.getBeanNamesForType(AbstractAutoProxyCreator.class, true, false).length > 0;
    }

    /** Whether a bean's proxy is a subclass of its class; if not, it only implements the interfaces. */
    boolean isByClass(Class<?> type) {
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
