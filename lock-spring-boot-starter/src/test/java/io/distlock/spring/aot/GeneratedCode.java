package io.distlock.spring.aot;

import io.distlock.test.process.TestFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;

/**
 * The sources generated for contexts, compiled and defined beside the classes they refer to, since those need not be
 * public. What is generated again, for the next test of a class, is not compiled again.
 */
final class GeneratedCode {

    /** Part of the name of each generated class; a number in place of the blank keeps contexts apart. */
    private static final String MARK = "AheadOfTime_";

    private static final ClassName TARGET = ClassName.get(GeneratedCode.class);
    private static final Map<Map<String, String>, Class<?>> INITIALIZERS = new HashMap<>();

    private GeneratedCode() {}

    static TestGenerationContext generation() {
        return new TestGenerationContext(new ClassNameGenerator(TARGET, MARK));
    }

    /** What registers the beans of a context that was processed. */
    @SuppressWarnings("unchecked") // as it was generated
    static synchronized ApplicationContextInitializer<GenericApplicationContext> initializer(
            TestGenerationContext generation) {
        Map<String, String> sources = new TreeMap<>();
        generation.getGeneratedFiles().getGeneratedFiles(Kind.SOURCE).forEach((file, content) -> {
            try (var input = content.getInputStream()) {
                sources.put(file, new String(input.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Class<?> initializer = INITIALIZERS.computeIfAbsent(sources, GeneratedCode::define);
        try {
            return (ApplicationContextInitializer<GenericApplicationContext>)
                    initializer.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Class<?> define(Map<String, String> marked) {
        String number = MARK + INITIALIZERS.size();
        try (TestFolder folder = TestFolder.create("aot")) {
            List<Path> sources = new ArrayList<>();
            for (Map.Entry<String, String> source : marked.entrySet()) {
                Path file = folder.path().resolve(source.getKey().replace(MARK, number));
                Files.createDirectories(file.getParent());
                sources.add(Files.writeString(file, source.getValue().replace(MARK, number)));
            }
            return GeneratedClasses.compile(folder.path(), sources).define();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
