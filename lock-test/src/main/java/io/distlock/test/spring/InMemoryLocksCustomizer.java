package io.distlock.test.spring;

import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.FaultyLockProvider;
import java.util.Set;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.support.TestPropertySourceUtils;

/**
 * Selects the in-memory provider before auto-configuration conditions are evaluated. Equal customizers share contexts.
 *
 * @param others the names of further providers to replace
 */
record InMemoryLocksCustomizer(Set<String> others) implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        TestPropertySourceUtils.addInlinedPropertiesToEnvironment(
                context,
                "distributed-lock.provider=in-memory",
                // An application may have switched these on besides the default one.
                "distributed-lock.redis.enabled=false",
                "distributed-lock.redlock.enabled=false",
                "distributed-lock.etcd.enabled=false");
        var reader = new AnnotatedBeanDefinitionReader((BeanDefinitionRegistry) context.getBeanFactory());
        reader.register(InMemoryLocksConfiguration.class);
        others.forEach(name -> reader.registerBean(
                FaultyLockProvider.class,
                name + "LockProvider",
                () -> standIn(name, context.getBean(LockRuntime.class))));
    }

    private static FaultyLockProvider standIn(String name, LockRuntime runtime) {
        return new FaultyLockProvider(new InMemoryLockProvider(runtime), name);
    }
}
