package io.distlock.house;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Finds the sentences in a file of Java, as the compiler reads it: a text that is put together counts as one. */
final class MessageScan extends TreeScanner<@Nullable Void, @Nullable Void> {

    /** Calls whose texts nobody sees who does not look for them, or that can only be a mistake in the calling code. */
    private static final Set<String> SILENT = Set.of("debug", "trace", "info", "requireNonNull");

    private final String file;
    private final List<Message> found = new ArrayList<>();

    private MessageScan(String file) {
        this.file = file;
    }

    static List<Message> of(Path source, Set<String> without) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<Message> found = new ArrayList<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> all = Files.walk(source)) {
            List<Path> java = all.filter(each -> each.toString().endsWith(".java"))
                    .filter(each -> !without.contains(name(each).replace(".java", "")))
                    .sorted()
                    .toList();
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(java));
            for (CompilationUnitTree unit : task.parse()) {
                MessageScan scan =
                        new MessageScan(name(Path.of(unit.getSourceFile().toUri())));
                scan.scan(unit, null);
                scan.found.stream().filter(Message::isSentence).forEach(found::add);
            }
        }
        return found;
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    @Override
    public @Nullable Void visitAnnotation(AnnotationTree annotation, @Nullable Void nothing) {
        return null;
    }

    @Override
    public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void nothing) {
        boolean isSilent = call.getMethodSelect() instanceof MemberSelectTree select
                && SILENT.contains(select.getIdentifier().toString());
        return isSilent ? null : super.visitMethodInvocation(call, null);
    }

    /** An exception that takes a problem and its cure. */
    @Override
    public @Nullable Void visitNewClass(NewClassTree call, @Nullable Void nothing) {
        int before = found.size();
        super.visitNewClass(call, null);
        List<Message> texts = found.subList(before, found.size());
        if (call.getClassBody() == null
                && call.getArguments().size() > 1
                && texts.stream().anyMatch(Message::saysWhatToDo)) {
            texts.clear();
        }
        return null;
    }

    @Override
    public @Nullable Void visitLiteral(LiteralTree literal, @Nullable Void nothing) {
        if (literal.getValue() instanceof String text) {
            found.add(new Message(file, text));
        }
        return null;
    }

    @Override
    public @Nullable Void visitBinary(BinaryTree sum, @Nullable Void nothing) {
        if (sum.getKind() != Tree.Kind.PLUS) {
            return super.visitBinary(sum, null);
        }
        StringBuilder text = new StringBuilder();
        add(sum, text);
        found.add(new Message(file, text.toString()));
        return null;
    }

    private void add(@Nullable Tree part, StringBuilder text) {
        if (part instanceof BinaryTree sum && sum.getKind() == Tree.Kind.PLUS) {
            add(sum.getLeftOperand(), text);
            add(sum.getRightOperand(), text);
        } else if (part instanceof LiteralTree literal && literal.getValue() instanceof String more) {
            text.append(more);
        } else {
            text.append(Message.VALUE);
            scan(part instanceof ParenthesizedTree inner ? inner.getExpression() : part, null);
        }
    }
}
