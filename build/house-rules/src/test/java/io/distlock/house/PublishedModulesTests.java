package io.distlock.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The modules at the top level are what is published: each can be released as it stands. */
class PublishedModulesTests {

    private static final Path ROOT = Path.of("..", "..");
    private static final String BOM = "lock-bom";
    private static final Pattern MODULE_NAME =
            Pattern.compile("<automatic\\.module\\.name>([a-z.]+)</automatic\\.module\\.name>");
    /** A type and those nested in it, or a package. */
    private static final Pattern EXCLUDED = Pattern.compile("<exclude>(io\\.distlock[\\w.]+)\\*?</exclude>");

    private static final Pattern MANAGED = Pattern.compile("<groupId>io\\.distlock</groupId>\\s*"
            + "<artifactId>([a-z-]+)</artifactId>\\s*<version>\\$\\{project\\.version}</version>");

    private static List<String> modules() throws IOException {
        try (Stream<Path> files = Files.list(ROOT)) {
            return files.filter(each -> Files.exists(each.resolve("pom.xml")))
                    .map(each -> each.getFileName().toString())
                    .filter(name -> name.startsWith("lock-") && !name.equals(BOM))
                    .sorted()
                    .toList();
        }
    }

    private static String pom(String module) throws IOException {
        return Files.readString(ROOT.resolve(module).resolve("pom.xml"));
    }

    @Test
    void theBomManagesAllOfThemAndNothingElse() throws IOException {
        assertThat(MANAGED.matcher(pom(BOM)).results().map(each -> each.group(1)))
                .containsExactlyInAnyOrderElementsOf(modules());
    }

    /** What is public for this project alone may change between releases. */
    @Test
    void japicmpLeavesOutWhatIsNotSupported() throws IOException {
        List<String> left = EXCLUDED.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(each -> each.group(1))
                .toList();
        assertThat(left).containsAll(ImportTable.INTERNAL_TYPES);
        for (String internal : ImportTable.INTERNAL) {
            List<String> types = publicTypes(internal).stream()
                    .filter(type -> !ImportTable.SUPPORTED.contains(type))
                    .toList();
            assertThat(left.contains(internal) || left.containsAll(types))
                    .as(internal)
                    .isTrue();
        }
        assertThat(left).doesNotContainAnyElementsOf(ImportTable.SUPPORTED);
    }

    private static List<String> publicTypes(String name) throws IOException {
        List<String> types = new ArrayList<>();
        for (String module : modules()) {
            Path sources = ROOT.resolve(module).resolve("src/main/java").resolve(name.replace('.', '/'));
            if (!Files.isDirectory(sources)) {
                continue;
            }
            try (Stream<Path> files = Files.list(sources)) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    String type = file.getFileName().toString().replace(".java", "");
                    if (Files.readString(file).matches("(?s).*\\npublic [^\\n]*\\b" + type + "\\b.*")) {
                        types.add(name + '.' + type);
                    }
                }
            }
        }
        assertThat(types).as(name).isNotEmpty();
        return types;
    }

    @Test
    void eachHasANameAndADescription() throws IOException {
        for (String module : modules()) {
            assertThat(pom(module)).as(module).contains("<name>distlock ", "<description>");
        }
    }

    @Test
    void eachHasAModuleNameThatIsItsRootPackage() throws IOException {
        for (String module : modules()) {
            Matcher name = MODULE_NAME.matcher(pom(module));
            assertThat(name.find()).as(module).isTrue();
            Path root = ROOT.resolve(module).resolve("src/main/java");
            Path expected = root.resolve(name.group(1).replace('.', '/'));
            try (Stream<Path> files = Files.walk(root)) {
                assertThat(files.filter(file -> file.toString().endsWith(".java")))
                        .as(module)
                        .isNotEmpty()
                        .allMatch(file -> file.startsWith(expected));
            }
        }
    }
}
