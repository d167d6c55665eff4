package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.spring.autoconfigure.InMemoryLockAutoConfiguration;
import io.distlock.spring.autoconfigure.LockAopAutoConfiguration;
import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.spring.autoconfigure.LockRuntimeAutoConfiguration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/** The code that Spring generates ahead of time in place of bean definitions locks as well. */
class AotTests {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        LockRuntimeAutoConfiguration.class,
        InMemoryLockAutoConfiguration.class,
        LockAutoConfiguration.class,
        LockAopAutoConfiguration.class
    })
    public static class Application {

        @Bean
        public Jobs jobs() {
            return new Jobs();
        }
    }

    public static class Jobs {

        @DistributedLock(name = "job", key = "#id")
        public List<LockKey> run(long id) {
            return LockContext.current().keys();
        }
    }

    private static final TestPropertyValues PROPERTIES = TestPropertyValues.of("distributed-lock.provider=in-memory");

    @Test
    @CompileWithForkedClassLoader
    @SuppressWarnings("unchecked") // a class literal has no type arguments
    void aContextThatWasProcessedAheadOfTimeLocks() {
        TestGenerationContext generation = new TestGenerationContext();
        try (var context = new AnnotationConfigApplicationContext()) {
            PROPERTIES.applyTo(context);
            context.register(Application.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        generation.writeGeneratedContent();
        TestCompiler.forSystem()
                .with(generation)
                .compile(compiled -> run(compiled.getInstance(ApplicationContextInitializer.class)));
    }

    private static void run(ApplicationContextInitializer<GenericApplicationContext> generated) {
        try (var context = new GenericApplicationContext()) {
            PROPERTIES.applyTo(context);
            generated.initialize(context);
            context.refresh();
            assertThat(context.getBean(Jobs.class).run(1)).containsExactly(LockKey.of("job", "1"));
        }
    }
}
