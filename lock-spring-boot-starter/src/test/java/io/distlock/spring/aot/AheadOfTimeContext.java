package io.distlock.spring.aot;

import static org.springframework.beans.factory.aot.BeanRegistrationAotProcessor.IGNORE_REGISTRATION_ATTRIBUTE;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.aot.AotDetector;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.AnnotationConfigRegistry;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.SpringProperties;

/**
 * Does with a test's context what a build with ahead-of-time processing does with an application: all that is
 * registered goes into another context, from which code is generated, and only what that code registers is run here.
 *
 * <p>Beans that a test supplies by a lambda cannot become code. They are left out of the processing and registered as
 * they are.
 */
public final class AheadOfTimeContext extends GenericApplicationContext implements AnnotationConfigRegistry {

    private final AnnotationConfigApplicationContext source = new AnnotationConfigApplicationContext();
    private boolean running;

    /** Set for a run of the tests in which every context is processed ahead of time. */
    public static boolean isWanted() {
        return Boolean.getBoolean("distlock.test.aot");
    }

    @Override
    public void register(Class<?>... componentClasses) {
        source.register(componentClasses);
    }

    @Override
    public void scan(String... basePackages) {
        source.scan(basePackages);
    }

    @Override
    public void registerBeanDefinition(String name, BeanDefinition definition) {
        if (running) {
            super.registerBeanDefinition(name, definition);
        } else {
            source.registerBeanDefinition(name, definition);
        }
    }

    @Override
    public void refresh() throws BeansException, IllegalStateException {
        try (source) {
            source.setEnvironment(getEnvironment());
            source.setClassLoader(getClassLoader());
            Map<String, AbstractBeanDefinition> supplied = supplied();
            supplied.values().forEach(bean -> bean.setAttribute(IGNORE_REGISTRATION_ATTRIBUTE, true));
            TestGenerationContext generation = GeneratedCode.generation();
            new ApplicationContextAotGenerator().processAheadOfTime(source, generation);
            generation.writeGeneratedContent();
            running = true;
            GeneratedCode.initializer(generation).initialize(this);
            supplied.forEach(this::registerBeanDefinition);
        }
        SpringProperties.setFlag(AotDetector.AOT_ENABLED);
        try {
            super.refresh();
        } finally {
            SpringProperties.setProperty(AotDetector.AOT_ENABLED, null);
        }
    }

    private Map<String, AbstractBeanDefinition> supplied() {
        Map<String, AbstractBeanDefinition> supplied = new LinkedHashMap<>();
        for (String name : source.getBeanDefinitionNames()) {
            if (source.getBeanDefinition(name) instanceof AbstractBeanDefinition bean
                    && bean.getInstanceSupplier() != null) {
                supplied.put(name, bean);
            }
        }
        return supplied;
    }
}
