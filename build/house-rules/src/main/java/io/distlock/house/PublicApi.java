package io.distlock.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The supported API of a module: its public types, each followed by its public and protected members, as the module's
 * file {@code api.txt} has them. A change of the API is then a change of that file, which a reviewer sees.
 *
 * <p>Packages whose types are public only for other packages of the same module are not part of it; {@link
 * ImportTable} keeps other modules away from them.
 */
final class PublicApi {

    static final String FILE = "api.txt";

    private static final String MEMBER = "    ";
    private static final Set<String> OBJECT_METHODS = Set.of("equals", "hashCode", "toString");
    private static final Set<String> ENUM_METHODS = Set.of("values", "valueOf");

    private final List<String> lines;

    private PublicApi(List<String> lines) {
        this.lines = lines;
    }

    /**
     * The API of the types whose class files lie under a directory.
     *
     * @param classes may include those of other modules
     */
    static PublicApi of(JavaClasses classes, Path directory) {
        return new PublicApi(madeIn(classes, directory).stream()
                .filter(type -> !ImportTable.isInternal(type))
                .map(JavaClass::reflect)
                .filter(PublicApi::isPublic)
                .sorted(Comparator.comparing(Class::getName))
                .flatMap(PublicApi::describe)
                .toList());
    }

    /** Those whose class files lie under a directory. */
    static List<JavaClass> madeIn(JavaClasses classes, Path directory) {
        String root = directory.toAbsolutePath().toUri().toString();
        return classes.stream()
                .filter(type -> type.getSource()
                        .filter(source -> source.getUri().toString().startsWith(root))
                        .isPresent())
                .toList();
    }

    /** What differs from a file, a line each: "+" is not in the file, "-" is in the file alone. */
    List<String> differences(Path file) throws IOException {
        Set<String> actual = qualified(lines);
        Set<String> written = qualified(Files.exists(file) ? Files.readAllLines(file) : List.of());
        return Stream.concat(
                        actual.stream().filter(line -> !written.contains(line)).map(line -> "+ " + line),
                        written.stream().filter(line -> !actual.contains(line)).map(line -> "- " + line))
                .toList();
    }

    void writeTo(Path file) throws IOException {
        Files.write(file, lines);
    }

    /** Each member behind the name of its type. */
    private static Set<String> qualified(List<String> lines) {
        Set<String> qualified = new LinkedHashSet<>();
        String type = "";
        for (String line : lines) {
            if (line.startsWith(MEMBER)) {
                qualified.add(type + ": " + line.strip());
            } else {
                type = line.replaceAll(":.*", "");
                qualified.add(line);
            }
        }
        return qualified;
    }

    private static boolean isPublic(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
            if (!Modifier.isPublic(each.getModifiers())) {
                return false;
            }
        }
        return !type.isAnonymousClass() && !type.isLocalClass();
    }

    private static Stream<String> describe(Class<?> type) {
        Stream<String> members = Stream.of(
                        declaring(type)
                                .flatMap(each -> Arrays.stream(each.getDeclaredFields()))
                                .filter(field -> isSupported(field.getModifiers(), field.isSynthetic()))
                                .map(field -> simple(field, field.toGenericString())),
                        Arrays.stream(type.getDeclaredConstructors())
                                .filter(made -> isSupported(made.getModifiers(), made.isSynthetic()))
                                .map(made -> simple(made, made.toGenericString())),
                        declaring(type)
                                .flatMap(each -> Arrays.stream(each.getDeclaredMethods()))
                                .filter(method -> isSupported(method.getModifiers(), method.isSynthetic()))
                                .filter(method -> !isGiven(type, method))
                                .map(method -> simple(method, method.toGenericString()) + valueIfAbsent(method)))
                .flatMap(each -> each)
                .map(member -> MEMBER + member)
                .distinct()
                .sorted();
        return Stream.concat(Stream.of(type.getCanonicalName() + ": " + kind(type)), members);
    }

    private static String kind(Class<?> type) {
        String declared = type.toGenericString().replace(type.getName(), "");
        String plain = type.isInterface() ? declared.replace("abstract ", "") : declared;
        // Some releases of the JDK say whether a type is sealed, others do not.
        String kind = (type.isSealed() ? "sealed " : "")
                + plain.replaceAll("\\b(?:non-)?sealed ", "").strip();
        List<Class<?>> declaring = declaring(type).toList();
        String parents = Stream.concat(
                        Stream.ofNullable(declaring.get(declaring.size() - 1).getGenericSuperclass()),
                        declaring.stream().flatMap(each -> Arrays.stream(each.getGenericInterfaces())))
                .map(parent -> simple(parent.getTypeName()))
                .filter(parent -> !parent.matches("Object|Record|Annotation|Enum<.*>"))
                .collect(Collectors.joining(", "));
        return kind.replaceFirst("\\bpublic ", "") + (parents.isEmpty() ? "" : ", a " + parents);
    }

    /** A type and those it extends that are not public themselves, so that their members are its own to users. */
    private static Stream<Class<?>> declaring(Class<?> type) {
        return Stream.<Class<?>>iterate(
                type,
                each -> each != null && (each == type || !Modifier.isPublic(each.getModifiers())),
                Class::getSuperclass);
    }

    private static boolean isSupported(int modifiers, boolean synthetic) {
        return !synthetic && (Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers));
    }

    /** Whether the language or {@link Object} gives each such type the method. */
    private static boolean isGiven(Class<?> type, Method method) {
        return OBJECT_METHODS.contains(method.getName()) || (type.isEnum() && ENUM_METHODS.contains(method.getName()));
    }

    private static String valueIfAbsent(Method method) {
        Object value = method.getDefaultValue();
        if (value == null) {
            return "";
        }
        return " default " + (value instanceof Object[] values ? Arrays.toString(values) : "\"" + value + "\"");
    }

    private static String simple(Member member, String signature) {
        String own = member.getDeclaringClass().getTypeName();
        String plain = simple(member instanceof Constructor ? signature : signature.replace(own + ".", ""));
        return plain.replaceFirst("^public ", "").replaceFirst("^abstract ", "").replace("synchronized ", "");
    }

    /** Without names of packages. */
    private static String simple(String signature) {
        return signature
                .replaceAll("\\b(?:[a-z]\\w*\\.)+(?=[A-Z])", "")
                .replace('$', '.')
                .replaceAll(", ?", ", ");
    }
}
