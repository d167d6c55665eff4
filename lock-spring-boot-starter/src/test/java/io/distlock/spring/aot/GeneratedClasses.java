package io.distlock.spring.aot;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.springframework.context.ApplicationContextInitializer;

/** Compiled classes in a folder, each named after a class of its package: {@code Jobs__BeanDefinitions}. */
record GeneratedClasses(Path folder, List<Path> files) {

    private static final String CLASS = ".class";
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** One for all that is compiled: it keeps the jars of the class path open. */
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    private static final List<String> OPTIONS =
            List.of("-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path"));

    static GeneratedClasses compile(Path folder, List<Path> sources) throws IOException {
        StringWriter messages = new StringWriter();
        if (!COMPILER.getTask(messages, FILES, null, OPTIONS, null, FILES.getJavaFileObjectsFromPaths(sources))
                .call()) {
            throw new IllegalStateException("The generated code does not compile: " + messages);
        }
        try (Stream<Path> all = Files.walk(folder)) {
            return new GeneratedClasses(
                    folder, all.filter(file -> file.toString().endsWith(CLASS)).toList());
        }
    }

    /** Makes all of them known to the class loader of the classes they are named after. */
    Class<?> define() throws IOException {
        Class<?> initializer = null;
        for (Path file : files) {
            Class<?> defined = define(file);
            if (ApplicationContextInitializer.class.isAssignableFrom(defined)) {
                initializer = defined;
            }
        }
        if (initializer == null) {
            throw new IllegalStateException("Nothing among " + files + " initializes a context.");
        }
        return initializer;
    }

    private Class<?> define(Path file) throws IOException {
        String path = folder.relativize(file).toString();
        String neighbour = path.substring(0, path.indexOf("__")).replace('/', '.');
        try {
            return MethodHandles.privateLookupIn(Class.forName(neighbour), MethodHandles.lookup())
                    .defineClass(Files.readAllBytes(file));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cannot define " + path, e);
        }
    }
}
