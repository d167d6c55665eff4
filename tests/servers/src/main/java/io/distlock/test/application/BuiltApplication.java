package io.distlock.test.application;

import io.distlock.test.process.TestFolder;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A Spring Boot application around a service with a method {@code ship(long)}: compiled in a new folder with nothing but
 * the class path that it is given, as Spring Boot's own build would, and run in a JVM of its own. It ships an order once,
 * and ends.
 */
public final class BuiltApplication implements AutoCloseable {

    private static final long PATIENCE_MINUTES = 4;

    private static final String IMPORTS = """
            package shop;

            import io.distlock.spring.DistributedLock;
            import io.distlock.spring.LockContext;
            import org.springframework.boot.SpringApplication;
            import org.springframework.boot.autoconfigure.SpringBootApplication;
            import org.springframework.context.ConfigurableApplicationContext;
            import org.springframework.stereotype.Service;
            """;

    private static final String MAIN = """
            @SpringBootApplication
            public class Application {
                public static void main(String[] arguments) {
                    try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, arguments)) {
                        context.getBean(%s.class).ship(42);
                    }
                }
            }
            """;

    /** What is done under the lock, for a body that the page leaves out. */
    private static final String BODY =
            "{ System.out.println(\"shipped \" + orderId + \" with token \" + LockContext.current().fencingToken()); }";

    private final TestFolder folder = TestFolder.create("application");
    private final String classPath;

    private BuiltApplication(String classPath) {
        this.classPath = classPath;
    }

    /**
     * Builds one.
     *
     * @param service a class with the method, in which {@code { … }} is a body that is left out
     * @param name the name of that class
     * @param yaml its {@code application.yml}
     * @param classPath a file that has all there is on the class path
     * @return the application
     */
    public static BuiltApplication build(String service, String name, String yaml, Path classPath) {
        try {
            BuiltApplication built = new BuiltApplication(Files.readString(classPath));
            built.write(service, name, yaml);
            return built;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(String service, String name, String yaml) throws IOException {
        String imports = service.contains("@Transactional")
                ? IMPORTS + "import org.springframework.transaction.annotation.Transactional;\n"
                : IMPORTS;
        Path main = Files.writeString(source("Application"), imports + MAIN.formatted(name));
        Path other = Files.writeString(source(name), imports + service.replace("{ … }", BODY));
        Files.writeString(folder.inner("classes").resolve("application.yml"), yaml);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of(
                    "-parameters",
                    "-proc:none",
                    "-classpath",
                    classPath,
                    "-d",
                    folder.inner("classes").toString());
            if (!compiler.getTask(problems, files, null, options, null, files.getJavaFileObjects(main, other))
                    .call()) {
                throw new IllegalStateException("the application does not compile:\n" + problems);
            }
        }
    }

    private Path source(String name) {
        return folder.inner("source").resolve(name + ".java");
    }

    /**
     * Runs it until it ends.
     *
     * @param environment variables in addition to this process's own
     * @return what it has printed
     * @throws IllegalStateException if it fails, or does not end
     */
    public String run(Map<String, String> environment) {
        try {
            Path output = folder.path().resolve("output");
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC"));
            command.addAll(
                    List.of("-cp", folder.inner("classes") + File.pathSeparator + classPath, "shop.Application"));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(folder.path().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            boolean ended = process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES);
            process.destroyForcibly();
            String printed = Files.readString(output);
            if (!ended || process.exitValue() != 0) {
                throw new IllegalStateException("the application has not ended well:\n" + printed);
            }
            return printed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the application was running", e);
        }
    }

    /** Deletes it. */
    @Override
    public void close() {
        folder.close();
    }
}
