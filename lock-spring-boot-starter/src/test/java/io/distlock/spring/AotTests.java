package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.spring.autoconfigure.InMemoryLockAutoConfiguration;
import io.distlock.spring.autoconfigure.LockAopAutoConfiguration;
import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.spring.autoconfigure.LockReactiveTransactionAutoConfiguration;
import io.distlock.spring.autoconfigure.LockRuntimeAutoConfiguration;
import io.distlock.spring.autoconfigure.LockTemplateAutoConfiguration;
import io.distlock.spring.autoconfigure.LockTransactionAutoConfiguration;
import io.distlock.spring.template.LockTemplate;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
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
import reactor.core.publisher.Mono;

/** The code that Spring generates ahead of time in place of bean definitions locks as well. */
class AotTests {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        LockRuntimeAutoConfiguration.class,
        InMemoryLockAutoConfiguration.class,
        LockAutoConfiguration.class,
        LockTransactionAutoConfiguration.class,
        LockReactiveTransactionAutoConfiguration.class,
        LockAopAutoConfiguration.class,
        LockTemplateAutoConfiguration.class
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

        @DistributedLock(name = "busy", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        public String orElse() {
            return "done";
        }

        @SuppressWarnings("unused") // by its name
        private String instead() {
            return "instead";
        }

        @DistributedLock(name = "a", condition = "#wanted")
        @DistributedLock("b")
        public Mono<Integer> several(boolean wanted) {
            return ReactiveLockContext.requireHeld("b")
                    .then(wanted ? ReactiveLockContext.requireHeld("a").thenReturn(2) : Mono.just(1));
        }
    }

    private static final TestPropertyValues PROPERTIES =
            TestPropertyValues.of("distributed-lock.provider=in-memory", "distributed-lock.wait-time=0s");

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

    private static void run(ApplicationContextInitializer<GenericApplicationContext> generated) {
        try (var context = new GenericApplicationContext()) {
            PROPERTIES.applyTo(context);
            generated.initialize(context);
            context.refresh();
            Jobs jobs = context.getBean(Jobs.class);
            assertThat(jobs.run(1)).containsExactly(LockKey.of("job", "1"));
            assertThat(jobs.several(true).block()).isEqualTo(2);
            assertThat(jobs.several(false).block()).isEqualTo(1);
            LockClient another = LockTestContext.another(context);
            try (HeldLock held = another.acquire(another.request("busy"))) {
                assertThat(jobs.orElse()).isEqualTo("instead");
                assertThat(held.isHeld()).isTrue();
            }
            assertThat(context.getBean(LockTemplate.class).lock("busy").call(() -> "done"))
                    .isEqualTo("done");
        }
    }
}
