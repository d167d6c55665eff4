package io.distlock.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * For a provider {@code XLockProvider}, a test class {@code XLockProviderContractTests} in the same package that is
 * the contract. Looked for among the sources of all modules: the one of the in-memory provider is in
 * {@code tests/core}, because the contract depends on lock-core.
 */
final class KeepTheContract extends ArchCondition<JavaClass> {

    private static final String CONTRACT = " extends LockProviderContract ";

    private final Path start;

    /**
     * @param start a directory in the checkout
     */
    KeepTheContract(Path start) {
        super("be held to the contract, by tests that extend LockProviderContract");
        this.start = start;
    }

    @Override
    public void check(JavaClass provider, ConditionEvents events) {
        String tests = provider.getSimpleName() + "ContractTests";
        Path file = Path.of(provider.getPackageName().replace('.', '/'), tests + ".java");
        boolean kept = modules()
                .map(module -> module.resolve("src/test/java").resolve(file))
                .anyMatch(source -> Files.exists(source) && read(source).contains("class " + tests + CONTRACT));
        events.add(new SimpleConditionEvent(
                provider, kept, "%s %s %s%s".formatted(provider.getName(), kept ? "has" : "has no", tests, CONTRACT)));
    }

    private Stream<Path> modules() {
        Path root = start.toAbsolutePath();
        while (!Files.isDirectory(root.resolve("build/house-rules"))) {
            root = root.getParent();
            if (root == null) {
                throw new IllegalStateException("not in a checkout with the module build/house-rules: " + start);
            }
        }
        return Stream.of(root, root.resolve("tests"))
                .flatMap(parent -> list(parent).stream())
                .filter(Files::isDirectory);
    }

    private static List<Path> list(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
