package io.distlock.test.spring;

import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.FaultyLockProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.support.TestPropertySourceUtils;

/**
 * Selects the in-memory provider before auto-configuration conditions are evaluated. Equal customizers share contexts.
 *
 * @param others the names of further providers to replace
 */
record InMemoryLocksCustomizer(Set<String> others) implements ContextCustomizer {

    private static final String CONFIGURATION = ".auto-configuration";

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, "distributed-lock.provider=in-memory");
        // An application may have switched these on besides the default one.
        TestPropertySourceUtils.addInlinedPropertiesToEnvironment(
                context,
                providers(context.getClassLoader())
                        .map(name -> "distributed-lock." + name + ".enabled=false")
                        .toArray(String[]::new));
        var reader = new AnnotatedBeanDefinitionReader((BeanDefinitionRegistry) context.getBeanFactory());
        reader.register(InMemoryLocksConfiguration.class);
        others.forEach(name -> reader.registerBean(
                FaultyLockProvider.class,
                name + "LockProvider",
                () -> standIn(name, context.getBean(LockRuntime.class))));
    }

    /** Those of all modules on the class path, which describe themselves. */
    private static Stream<String> providers(@Nullable ClassLoader loader) {
        try {
            return PropertiesLoaderUtils.loadAllProperties("META-INF/distlock-providers.properties", loader)
                    .stringPropertyNames()
                    .stream()
                    .filter(each -> each.endsWith(CONFIGURATION))
                    .map(each -> each.substring(0, each.length() - CONFIGURATION.length()));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static FaultyLockProvider standIn(String name, LockRuntime runtime) {
        return new FaultyLockProvider(new InMemoryLockProvider(runtime), name);
    }
}
