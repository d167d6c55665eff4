import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Looks whether a folder of staged artifacts is complete: {@code java VerifyStaging.java FOLDER VERSION}. Prints what is
 * missing and ends with 1 then, or with 3 if all that is missing is the project's address. Signatures are only looked
 * for; gpg verifies them.
 */
public final class VerifyStaging {

    private static final String PLACEHOLDER = "example.invalid";
    private static final int INCOMPLETE = 1;
    private static final int NO_ADDRESS = 3;

    private final Path group;
    private final String version;
    private final List<String> problems = new ArrayList<>();

    private VerifyStaging(Path group, String version) {
        this.group = group;
        this.version = version;
    }

    public static void main(String[] arguments) throws Exception {
        VerifyStaging staging = new VerifyStaging(Path.of(arguments[0]).resolve("io/distlock"), arguments[1]);
        List<String> artifacts = staging.artifacts();
        for (String artifact : artifacts) {
            staging.verify(artifact);
        }
        staging.problems.forEach(problem -> System.out.println("  " + problem));
        System.out.printf("%d artifacts, %d problems: %s%n", artifacts.size(), staging.problems.size(), artifacts);
        if (!staging.problems.isEmpty()) {
            System.exit(INCOMPLETE);
        }
        if (staging.hasPlaceholder()) {
            System.exit(NO_ADDRESS);
        }
    }

    private List<String> artifacts() throws IOException {
        try (Stream<Path> directories = Files.list(group)) {
            return directories
                    .filter(Files::isDirectory)
                    .map(directory -> directory.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    private void verify(String artifact) throws Exception {
        Path pom = file(artifact, ".pom");
        if (!Files.exists(pom)) {
            problem(artifact, "has no POM");
            return;
        }
        verifyPom(artifact, parse(pom));
        List<String> endings = new ArrayList<>(List.of(".pom"));
        if (!text(parse(pom), "packaging").orElse("jar").equals("pom")) {
            endings.addAll(List.of(".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json"));
        }
        for (String ending : endings) {
            verifyFile(artifact, file(artifact, ending));
        }
        if (endings.contains(".jar")) {
            verifyJar(artifact, file(artifact, ".jar"));
            verifyContains(artifact, "-sources.jar", ".java");
            verifyContains(artifact, "-javadoc.jar", "index.html");
        }
    }

    private Path file(String artifact, String ending) {
        return group.resolve(artifact).resolve(version).resolve(artifact + '-' + version + ending);
    }

    private void verifyFile(String artifact, Path file) throws Exception {
        String name = file.getFileName().toString();
        if (!Files.exists(file)) {
            problem(artifact, "lacks " + name);
            return;
        }
        if (!Files.exists(beside(file, ".asc"))) {
            problem(artifact, name + " is not signed");
        }
        for (String algorithm : List.of("SHA-1", "MD5")) {
            Path checksum = beside(file, '.' + algorithm.replace("-", "").toLowerCase());
            String actual = HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
            if (!Files.exists(checksum) || !Files.readString(checksum).strip().equals(actual)) {
                problem(artifact, name + " has no or another checksum, " + algorithm);
            }
        }
    }

    private static Path beside(Path file, String ending) {
        return file.resolveSibling(file.getFileName() + ending);
    }

    private void verifyJar(String artifact, Path file) throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        try (JarFile jar = new JarFile(file.toFile())) {
            String module = jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name");
            if (module == null || !module.startsWith("io.distlock") || module.contains("not.published")) {
                problem(artifact, "has the Automatic-Module-Name " + module);
                return;
            }
            TreeSet<String> elsewhere = new TreeSet<>();
            jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.endsWith(".class") && !name.startsWith(module.replace('.', '/')))
                    .forEach(elsewhere::add);
            if (!elsewhere.isEmpty()) {
                problem(artifact, "has classes outside of " + module + ": " + elsewhere.first());
            }
        }
    }

    private void verifyContains(String artifact, String ending, String name) throws IOException {
        Path file = file(artifact, ending);
        if (Files.exists(file)) {
            try (JarFile jar = new JarFile(file.toFile())) {
                if (jar.stream().noneMatch(entry -> entry.getName().endsWith(name))) {
                    problem(artifact, ending + " has no " + name);
                }
            }
        }
    }

    private void verifyPom(String artifact, Document pom) throws Exception {
        for (String own : List.of("name", "description")) {
            if (text(pom, own).isEmpty()) {
                problem(artifact, "its POM has no " + own);
            }
        }
        for (String inherited : List.of("url", "licenses", "developers", "scm")) {
            if (nearest(pom, inherited).isEmpty()) {
                problem(artifact, "neither its POM nor a parent has " + inherited);
            }
        }
        if (Files.readString(file(artifact, ".pom")).contains("-SNAPSHOT")) {
            problem(artifact, "its POM names a SNAPSHOT");
        }
    }

    /** Of a POM or, as all parents are staged too, of one of those it inherits from. */
    private Optional<String> nearest(Document pom, String element) throws Exception {
        Optional<String> here = text(pom, element);
        Optional<Element> parent = child(pom.getDocumentElement(), "parent");
        if (here.isPresent() || parent.isEmpty()) {
            return here;
        }
        Path file = file(child(parent.get(), "artifactId").orElseThrow().getTextContent(), ".pom");
        return Files.exists(file) ? nearest(parse(file), element) : Optional.empty();
    }

    private static Optional<String> text(Document pom, String element) {
        return child(pom.getDocumentElement(), element).map(Node::getTextContent).map(String::strip).filter(text -> !text.isEmpty());
    }

    private static Optional<Element> child(Element of, String name) {
        for (Node each = of.getFirstChild(); each != null; each = each.getNextSibling()) {
            if (each instanceof Element element && element.getTagName().equals(name)) {
                return Optional.of(element);
            }
        }
        return Optional.empty();
    }

    private static Document parse(Path file) throws Exception {
        try (InputStream in = new ByteArrayInputStream(Files.readAllBytes(file))) {
            return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in);
        }
    }

    private boolean hasPlaceholder() throws IOException {
        try (Stream<Path> files = Files.walk(group)) {
            for (Path pom : files.filter(file -> file.toString().endsWith(".pom")).toList()) {
                if (Files.readString(pom).contains(PLACEHOLDER)) {
                    return true;
                }
            }
        }
        return false;
    }

    private void problem(String artifact, String what) {
        problems.add(artifact + ": " + what);
    }
}
