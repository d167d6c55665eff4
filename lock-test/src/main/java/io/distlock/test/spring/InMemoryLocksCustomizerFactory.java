package io.distlock.test.spring;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Finds the annotation on a test class, its superclasses, interfaces or enclosing classes, or as a meta-annotation. */
final class InMemoryLocksCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        InMemoryLocks asked = TestContextAnnotationUtils.findMergedAnnotation(testClass, InMemoryLocks.class);
        return asked == null ? null : new InMemoryLocksCustomizer(Set.of(asked.alsoFor()));
    }
}
