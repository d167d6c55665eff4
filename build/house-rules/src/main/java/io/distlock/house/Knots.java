package io.distlock.house;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Files of one package that all depend on one another, directly or not: none can be read without all others. */
final class Knots {

    static final int FILES = 3;

    private Knots() {}

    /** The knots of more than {@value #FILES} files. */
    static List<String> of(Collection<JavaClass> classes) {
        Map<String, Map<String, Set<String>>> packages = new TreeMap<>();
        for (JavaClass each : classes) {
            JavaClass file = file(each);
            Set<String> used = packages.computeIfAbsent(file.getPackageName(), name -> new TreeMap<>())
                    .computeIfAbsent(file.getSimpleName(), name -> new TreeSet<>());
            each.getDirectDependenciesFromSelf().stream()
                    .map(Dependency::getTargetClass)
                    .map(target -> file(target.getBaseComponentType()))
                    .filter(target -> target.getPackageName().equals(file.getPackageName()))
                    .forEach(target -> used.add(target.getSimpleName()));
        }
        return packages.entrySet().stream()
                .flatMap(each -> knots(each.getKey(), each.getValue()).stream())
                .toList();
    }

    private static JavaClass file(JavaClass type) {
        return type.getEnclosingClass().map(Knots::file).orElse(type);
    }

    private static Set<String> knots(String name, Map<String, Set<String>> files) {
        return files.keySet().stream()
                .map(file -> reachedFrom(file, files).stream()
                        .filter(other -> reachedFrom(other, files).contains(file))
                        .toList())
                .filter(knot -> knot.size() > FILES)
                .map(knot -> knot.stream().collect(Collectors.joining(", ", name + ": ", "")))
                .collect(Collectors.toSet());
    }

    private static Set<String> reachedFrom(String file, Map<String, Set<String>> files) {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(List.of(file));
        while (!next.isEmpty()) {
            for (String used : files.getOrDefault(next.pop(), Set.of())) {
                if (files.containsKey(used) && reached.add(used)) {
                    next.push(used);
                }
            }
        }
        return reached;
    }
}
