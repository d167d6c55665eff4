package io.distlock.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.ObjectMapper;

/**
 * What a reader copies from the pages works. A block that uses something the page has not introduced needs it in {@code
 * src/test/resources/preludes/PAGE.java}. What may come from other libraries is imported in {@code imports.java} beside it; from
 * this project, examples use what is supported.
 */
class CodeBlocksTests {

    /** For readers alone. */
    private static final Set<String> NOT_CHECKED = Set.of("", "text", "sh", "bash", "console", "sql", "promql");

    static String imports;
    static Settings settings;

    @BeforeAll
    static void readWhatIsSupported() throws IOException {
        imports = JavaBlocks.prelude("imports").replace("\n", "") + supported();
        settings = new Settings();
    }

    /** The packages and enums of each module's api.txt. */
    private static String supported() throws IOException {
        List<String> types = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of("..", ".."))) {
            for (Path file : modules.map(each -> each.resolve("api.txt"))
                    .filter(Files::exists)
                    .toList()) {
                Files.readAllLines(file).stream()
                        .filter(line -> !line.startsWith(" "))
                        .forEach(types::add);
            }
        }
        Stream<String> packages = types.stream()
                .map(type -> "import " + type.replaceAll("\\.[A-Z].*", "") + ".*;")
                .distinct();
        Stream<String> enums = types.stream()
                .filter(type -> type.endsWith(" enum"))
                // Its values have the names of OnNotAcquired's; an application imports those that it uses.
                .filter(type -> !type.startsWith("io.distlock.spring.leader.LeaderOnly.Otherwise:"))
                .map(type -> "import static " + type.replaceAll(":.*", "") + ".*;");
        return Stream.concat(packages, enums).collect(Collectors.joining());
    }

    static List<Path> pages() throws IOException {
        return CodeBlock.pages();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyBlockOfAPageIsRight(Path page) throws IOException {
        List<CodeBlock> java = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (CodeBlock block : CodeBlock.of(page)) {
            switch (block.language()) {
                case "java" -> java.add(block);
                case "yaml", "yml", "properties" -> problems.addAll(settings.problems(block));
                case "xml" -> problems.addAll(DependencyBlocks.problems(block));
                case "json" ->
                    assertThatCode(() -> new ObjectMapper().readTree(block.text()))
                            .as(block.problem(1, "JSON"))
                            .doesNotThrowAnyException();
                default ->
                    assertThat(NOT_CHECKED)
                            .as(block.problem(0, "a language that is neither checked nor exempted"))
                            .contains(block.language());
            }
        }
        problems.addAll(new JavaBlocks(imports).problems(java));
        assertThat(problems).isEmpty();
    }

    @Test
    void aBlockIsAFileOrMembersOrStatements() {
        assertThat(javaProblems(
                        "import java.util.function.IntSupplier;",
                        "",
                        "@Service",
                        "class A {",
                        "    IntSupplier b() { … }",
                        "}"))
                .isEmpty();
        assertThat(javaProblems(
                        "@DistributedLock(name = \"a\", onNotAcquired = SKIP)", "public int a() { … }", "", "int b;"))
                .isEmpty();
        assertThat(javaProblems("List<String> a = List.of();", "…", "a.forEach(System.out::println);"))
                .isEmpty();
    }

    @Test
    void whatDoesNotCompileIsReportedWithItsLineOnThePage() {
        assertThat(javaProblems("HeldLock lock = null;", "", "lock.releese();"))
                .singleElement()
                .asString()
                .startsWith("page.md:5: ")
                .contains("releese");
        assertThat(javaProblems("int a() {", "    return 1", "}"))
                .singleElement()
                .asString()
                .startsWith("page.md:4: ")
                .contains("';' expected");
    }

    @Test
    void aPropertyThatIsUnknownOrCannotBeBoundIsReported() throws IOException {
        assertThat(yamlProblems("distributed-lock:", "  lease-time: 30s", "  lease: 30s"))
                .containsExactly("page.md:3: no property is named distributed-lock.lease");
        assertThat(yamlProblems("distributed-lock.lease-time: a while")).hasSize(1);
        assertThat(yamlProblems("management.metrics.tags.application: ${spring.application.name}"))
                .isEmpty();
        assertThat(yamlProblems("services:", "  etcd:", "    image: etcd")).isEmpty();
    }

    @Test
    void aDependencyOnWhatIsNotPublishedIsReported() throws IOException {
        String dependency = "<dependency><groupId>io.distlock</groupId><artifactId>%s</artifactId></dependency>";
        assertThat(DependencyBlocks.problems(block("xml", dependency.formatted("lock-redis"))))
                .isEmpty();
        assertThat(DependencyBlocks.problems(block("xml", dependency.formatted("lock-reddis"))))
                .hasSize(1);
        assertThat(DependencyBlocks.problems(block("xml", "<dependency>"))).hasSize(1);
    }

    private static List<String> javaProblems(String... lines) {
        return new JavaBlocks(imports).problems(List.of(block("java", lines)));
    }

    private static List<String> yamlProblems(String... lines) throws IOException {
        return settings.problems(block("yaml", lines));
    }

    private static CodeBlock block(String language, String... lines) {
        List<String> page = new ArrayList<>(List.of("Text.", "```" + language));
        page.addAll(List.of(lines));
        page.add("```");
        return CodeBlock.of("page", page).get(0);
    }
}
