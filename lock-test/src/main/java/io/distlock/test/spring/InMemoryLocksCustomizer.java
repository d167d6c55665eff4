package io.distlock.test.spring;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.support.TestPropertySourceUtils;

/** Chooses the in-memory provider, before the conditions of any auto-configuration look. All are equal, and share contexts. */
record InMemoryLocksCustomizer() implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        TestPropertySourceUtils.addInlinedPropertiesToEnvironment(
                context,
                "distributed-lock.provider=in-memory",
                // Those that an application has switched on beside the chosen one.
                "distributed-lock.redis.enabled=false",
                "distributed-lock.redlock.enabled=false",
                "distributed-lock.etcd.enabled=false");
        new AnnotatedBeanDefinitionReader((BeanDefinitionRegistry) context.getBeanFactory())
                .register(InMemoryLocksConfiguration.class);
    }
}
