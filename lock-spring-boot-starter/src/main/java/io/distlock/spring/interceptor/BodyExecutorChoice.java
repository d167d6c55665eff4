package io.distlock.spring.interceptor;

import io.distlock.engine.LockClientBuilder;
import io.distlock.spring.LockTaskExecutor;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.util.StringUtils;

/** Which executor runs the bodies of futures and publishers: see {@link LockTaskExecutor}. */
final class BodyExecutorChoice {

    private static final String PROPERTY = "distributed-lock.task-executor";

    private static final String OF_BOOT = "applicationTaskExecutor";

    private BodyExecutorChoice() {}

    static Executor of(@Nullable Executor marked, BeanFactory beans, Environment environment) {
        if (marked != null) {
            return marked;
        }
        String named = environment.getProperty(PROPERTY);
        if (StringUtils.hasText(named)) {
            return named(named, beans);
        }
        if (beans.containsBean(OF_BOOT) && beans.isTypeMatch(OF_BOOT, Executor.class)) {
            return beans.getBean(OF_BOOT, Executor.class);
        }
        return Threading.VIRTUAL.isActive(environment)
                ? new VirtualThreadTaskExecutor("distlock-body-")
                : LockClientBuilder.defaultCallbackExecutor();
    }

    private static Executor named(String bean, BeanFactory beans) {
        try {
            return beans.getBean(bean, Executor.class);
        } catch (NoSuchBeanDefinitionException missing) {
            if (!bean.equals(missing.getBeanName())) {
                throw missing;
            }
            throw new InvalidConfigurationPropertyValueException(
                    PROPERTY, bean, "there is no bean of this name: give the name of an Executor bean");
        } catch (BeanNotOfRequiredTypeException other) {
            throw new InvalidConfigurationPropertyValueException(
                    PROPERTY,
                    bean,
                    "this bean is a " + other.getActualType().getName() + ": give the name of an Executor bean");
        }
    }
}
