package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.spring.transaction.LockTransactionAutoConfiguration;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;

/** What a native image has to be told; that code generated ahead of time locks is shown by the tests that run that way too. */
class AotTests {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        LockAutoConfiguration.class,
        LockTransactionAutoConfiguration.class,
        LockAopAutoConfiguration.class
    })
    public static class Application {

        @Bean
        public Jobs jobs() {
            return new Jobs();
        }
    }

    public static class Jobs {

        @DistributedLock(name = "busy", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        public String orElse() {
            return "done";
        }

        @SuppressWarnings("unused") // by its name
        private String instead() {
            return "instead";
        }
    }

    private static final TestPropertyValues PROPERTIES =
            TestPropertyValues.of("distributed-lock.provider=in-memory", "distributed-lock.wait-time=0s");

    @Test
    void lockedMethodsAndTheirFallbacksCanBeCalledInANativeImage() throws Exception {
        TestGenerationContext generation = new TestGenerationContext();
        try (var context = new AnnotationConfigApplicationContext()) {
            PROPERTIES.applyTo(context);
            context.register(Application.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        for (Method method : List.of(Jobs.class.getMethod("orElse"), Jobs.class.getDeclaredMethod("instead"))) {
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method))
                    .accepts(generation.getRuntimeHints());
        }
    }
}
