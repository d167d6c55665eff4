package io.distlock.house;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.ToolProvider;

/** Java sources written in a test, compiled for ArchUnit to read. */
final class Sources {

    private final Path directory;
    private final Map<String, String> texts = new TreeMap<>();

    Sources(Path directory) {
        this.directory = directory;
    }

    /** Adds {@code class simpleName { body }}, in a package of its own that is null-marked. */
    Sources with(String className, String body) {
        int dot = className.lastIndexOf('.');
        String packageName = className.substring(0, dot);
        texts.put(packageName + ".package-info", "@org.jspecify.annotations.NullMarked package " + packageName + ";");
        return withUnmarked(className, body);
    }

    Sources withUnmarked(String className, String body) {
        return withType("class", className, body);
    }

    Sources withInterface(String className) {
        return withType("interface", className, "");
    }

    private Sources withType(String kind, String className, String body) {
        int dot = className.lastIndexOf('.');
        texts.put(
                className,
                "package %s; public %s %s { %s }"
                        .formatted(className.substring(0, dot), kind, className.substring(dot + 1), body));
        return this;
    }

    JavaClasses compile() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", directory.toString()));
        for (Map.Entry<String, String> source : texts.entrySet()) {
            Path file = directory.resolve(source.getKey().replace('.', '/') + ".java");
            Files.createDirectories(file.getParent());
            Files.writeString(file, source.getValue());
            arguments.add(file.toString());
        }
        int result = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        if (result != 0) {
            throw new IllegalArgumentException("does not compile: " + texts);
        }
        return new ClassFileImporter().importPath(directory);
    }
}
