package io.distlock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/** Which tests keep their locks in memory, and which stores are switched off for them. */
class InMemoryLocksCustomizerTests {

    @TempDir
    Path modules;

    private static ContextCustomizer of(Class<?> testClass) {
        return new InMemoryLocksCustomizerFactory().createContextCustomizer(testClass, List.of());
    }

    @Test
    void theAnnotationIsFoundWhereverSpringLooksForOne() {
        for (Class<?> each :
                List.of(Annotated.class, Annotated.Inner.class, Derived.class, Implementing.class, Composed.class)) {
            assertThat(of(each)).as(each.getSimpleName()).isEqualTo(new InMemoryLocksCustomizer(Set.of("b", "a")));
        }
        assertThat(of(Other.class)).isEqualTo(new InMemoryLocksCustomizer(Set.of()));
        assertThat(of(String.class)).isNull();
    }

    @Test
    void theStoresOfAllModulesAreSwitchedOff() throws IOException {
        List<URL> jars = new ArrayList<>();
        for (String module : List.of("one", "two")) {
            Path jar = Files.createDirectories(modules.resolve(module));
            Files.writeString(
                    Files.createDirectories(jar.resolve("META-INF")).resolve("distlock-providers.properties"),
                    module + ".auto-configuration=any\n" + module + "-raft.auto-configuration=any\n" + module
                            + ".cure=any");
            jars.add(jar.toUri().toURL());
        }
        try (URLClassLoader loader = new URLClassLoader(jars.toArray(URL[]::new), null);
                GenericApplicationContext context = new GenericApplicationContext()) {
            context.setClassLoader(loader);
            new InMemoryLocksCustomizer(Set.of())
                    .customizeContext(context, new MergedContextConfiguration(getClass(), null, null, null, null));
            for (String each : List.of("one", "one-raft", "two", "two-raft")) {
                assertThat(context.getEnvironment().getProperty("distributed-lock." + each + ".enabled"))
                        .as(each)
                        .isEqualTo("false");
            }
            assertThat(context.getEnvironment().getProperty("distributed-lock.provider"))
                    .isEqualTo("in-memory");
        }
    }

    @InMemoryLocks(alsoFor = {"a", "b"})
    static class Annotated {

        @SuppressWarnings("ClassCanBeStatic") // as JUnit's nested classes are
        class Inner {}
    }

    static class Derived extends Annotated {}

    @InMemoryLocks(alsoFor = {"a", "b"})
    interface OfAnInterface {}

    static class Implementing implements OfAnInterface {}

    @InMemoryLocks(alsoFor = {"a", "b"})
    @Retention(RetentionPolicy.RUNTIME)
    @interface AlsoForBoth {}

    @AlsoForBoth
    static class Composed {}

    @InMemoryLocks
    static class Other {}
}
