package io.distlock.documents;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.NestingKind;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the Java blocks of a page. A block is a whole file, members of a class or statements, whichever it parses as.
 * {@code { … }} is a body that does not matter; a line with nothing but {@code …} is left out.
 *
 * <p>What an example takes for granted is in {@code preludes/PAGE.java}: imports, types, and a class {@code Page} with
 * the fields and methods that fragments use.
 */
final class JavaBlocks {

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** One for all pages: it keeps the jars of the class path open. */
    private static final JavaFileManager FILES = COMPILER.getStandardFileManager(null, null, StandardCharsets.UTF_8);

    private static final Pattern HEADER = Pattern.compile("(?m)^(?:import|package) .*;$");
    private static final Pattern ANY_BODY = Pattern.compile("\\{ *(?:…|\\.\\.\\.) *}");
    private static final Pattern LEFT_OUT = Pattern.compile("(?m)^ *(?:…|\\.\\.\\.) *$");
    private static final String NO_PAGE = "class Page {}";

    private final String imports;

    /** @param imports those that every block has */
    JavaBlocks(String imports) {
        this.imports = imports;
    }

    /** What a block may be. */
    private enum Kind {
        FILE("%s"),
        MEMBERS("class Block extends Page { %s }"),
        STATEMENTS("class Block extends Page { void block() throws Exception { %s } }");

        private final String wrapping;

        Kind(String wrapping) {
            this.wrapping = wrapping;
        }
    }

    /** What the compiler finds wrong, with the page and the line. */
    List<String> problems(List<CodeBlock> blocks) {
        List<Unit> units = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (CodeBlock block : blocks) {
            Unit unit = parsed(block);
            List<String> syntax = described(unit.errors());
            problems.addAll(syntax);
            if (syntax.isEmpty()) {
                units.add(unit);
                units.add(prelude(block));
            }
        }
        problems.addAll(described(errors(units, false)));
        return problems;
    }

    private static List<String> described(List<Diagnostic<? extends JavaFileObject>> errors) {
        return errors.stream()
                .map(error -> ((Unit) error.getSource()).problem(error.getLineNumber(), error.getMessage(null)))
                .toList();
    }

    /** As the kind that is no error to the parser; if there is none, as that in which most of it is understood. */
    private Unit parsed(CodeBlock block) {
        Map<Long, Unit> byFirstError = new TreeMap<>(Comparator.reverseOrder());
        for (Kind kind : Kind.values()) {
            Unit unit = new Unit(block, inItsPackage(block, kind.wrapping.formatted(code(block))), false);
            List<Diagnostic<? extends JavaFileObject>> errors = unit.errors();
            if (errors.isEmpty()) {
                return unit;
            }
            byFirstError.putIfAbsent(errors.get(0).getPosition() - kind.wrapping.indexOf('%'), unit);
        }
        return byFirstError.values().iterator().next();
    }

    private String inItsPackage(CodeBlock block, String code) {
        String imported = HEADER.matcher(block.text())
                .results()
                .map(each -> each.group())
                .filter(each -> each.startsWith("import"))
                .collect(Collectors.joining(" "));
        String common = imports
                + prelude(block.page())
                        .lines()
                        .filter(line -> line.startsWith("import"))
                        .collect(Collectors.joining());
        // On one line with the first of the block, so that lines are counted as on the page.
        return "package " + packageOf(block) + "; " + common + imported + ' ' + code;
    }

    private static String code(CodeBlock block) {
        String text = HEADER.matcher(block.text()).replaceAll("");
        text = ANY_BODY.matcher(text).replaceAll("{ throw new UnsupportedOperationException(); }");
        return LEFT_OUT.matcher(text).replaceAll("") + '\n';
    }

    private Unit prelude(CodeBlock block) {
        return new Unit(block, "package " + packageOf(block) + "; " + imports + prelude(block.page()), true);
    }

    /** What a page takes for granted. */
    static String prelude(String page) {
        try (InputStream in = JavaBlocks.class.getResourceAsStream("/preludes/" + page + ".java")) {
            return in == null ? NO_PAGE : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** One for each block, since two may declare the same class. */
    private static String packageOf(CodeBlock block) {
        return block.page().replaceAll("\\W", "_") + ".line" + block.line();
    }

    private static List<Diagnostic<? extends JavaFileObject>> errors(List<Unit> units, boolean parseOnly) {
        if (units.isEmpty()) {
            return List.of();
        }
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = List.of("-proc:none", "--release", "17", "-parameters");
        JavacTask task = (JavacTask) COMPILER.getTask(null, FILES, found, options, null, units);
        try {
            if (parseOnly) {
                task.parse();
            } else {
                task.analyze();
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return found.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .toList();
    }

    private static final class Unit extends SimpleJavaFileObject {

        private final CodeBlock block;
        private final String source;
        private final boolean prelude;

        Unit(CodeBlock block, String source, boolean prelude) {
            super(URI.create("mem:///" + block.page() + block.line() + prelude + ".java"), JavaFileObject.Kind.SOURCE);
            this.block = block;
            this.source = source;
            this.prelude = prelude;
        }

        List<Diagnostic<? extends JavaFileObject>> errors() {
            return JavaBlocks.errors(List.of(this), true);
        }

        String problem(long line, String message) {
            return prelude
                    ? "preludes/%s.java:%d: %s".formatted(block.page(), line, message)
                    : block.problem(line, message);
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
        }

        @Override
        public boolean isNameCompatible(String simpleName, JavaFileObject.Kind kind) {
            return true;
        }

        @Override
        public @Nullable NestingKind getNestingKind() {
            return null;
        }

        @Override
        public @Nullable Modifier getAccessLevel() {
            return null;
        }
    }
}
