package io.distlock.spring.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongFunction;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A class that was compiled without {@code -parameters}, so that nobody knows what its parameters are called. */
@DisabledIfSystemProperty(
        named = "distlock.test.aot",
        matches = "true",
        disabledReason = "generated code cannot refer to a class that was made just now")
class NamelessParametersTests {

    @TempDir
    private Path folder;

    private static String source(String key) {
        return """
                import io.distlock.LockKey;
                import io.distlock.spring.DistributedLock;
                import io.distlock.spring.LockContext;
                import java.util.function.LongFunction;

                public class Nameless implements LongFunction<LockKey> {
                    @Override
                    @DistributedLock(name = "job", key = "%s")
                    public LockKey apply(long id) {
                        return LockContext.current().keys().get(0);
                    }
                }
                """.formatted(key);
    }

    private interface Check {

        void with(ApplicationContextRunner runner);
    }

    private void compiled(String key, Check check) throws IOException, ClassNotFoundException {
        Path source = Files.writeString(folder.resolve("Nameless.java"), source(key));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-proc:none", "-nowarn", "-d", folder.toString(), "-cp", System.getProperty("java.class.path"));
            assertThat(compiler.getTask(messages, files, null, options, null, files.getJavaFileObjects(source))
                            .call())
                    .as("compiled: %s", messages)
                    .isTrue();
        }
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            check.with(LockTestContext.manual().withClassLoader(loader).withBean(loader.loadClass("Nameless")));
        }
    }

    @Test
    void aNameIsNotKnownAndTheCureIsThatSettingOfTheCompilerOrThePosition() throws Exception {
        compiled(
                "#id",
                runner -> runner.run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(
                                InvalidLockedMethodsException.class,
                                failure -> assertThat(failure.problems())
                                        .singleElement()
                                        .satisfies(problem -> {
                                            assertThat(problem.problem())
                                                    .contains(
                                                            "uses the unknown variable #id; known variables: #p0, #a0, #root, #this");
                                            assertThat(problem.cure()).startsWith("Compile with -parameters");
                                        }))));
    }

    @Test
    void aPositionIsKnown() throws Exception {
        compiled(
                "#p0",
                runner -> runner.run(context ->
                        assertThat(context.getBean(LongFunction.class).apply(7)).isEqualTo(LockKey.of("job", "7"))));
    }
}
