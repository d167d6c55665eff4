package io.distlock.spring.interceptor;

import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Collects the problems of an annotated method, described for messages, to report them all at once. Not thread-safe. */
record ProblemCollector(String annotation, String method, List<InvalidLockedMethodsException.Problem> found) {

    ProblemCollector(Class<? extends Annotation> annotation, String method) {
        this("@" + annotation.getSimpleName(), method, new ArrayList<>());
    }

    /** For what another annotation of the same method says. */
    ProblemCollector of(Class<? extends Annotation> other) {
        return new ProblemCollector("@" + other.getSimpleName(), method, found);
    }

    void add(String attribute, String problem, String cure) {
        found.add(new InvalidLockedMethodsException.Problem(annotation, method, attribute, problem, cure));
    }

    <T> Optional<T> trying(String attribute, String cure, Supplier<T> value) {
        try {
            return Optional.of(value.get());
        } catch (IllegalArgumentException refusal) {
            add(attribute, String.valueOf(refusal.getMessage()), cure);
            return Optional.empty();
        }
    }

    void throwIfAny() {
        if (!found.isEmpty()) {
            // Two locks of one method may share a problem.
            throw new InvalidLockedMethodsException(found.stream().distinct().toList());
        }
    }
}
