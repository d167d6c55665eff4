package io.distlock.spring.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Collects the problems of one method, described for messages, to report them all at once. Not thread-safe. */
record ProblemCollector(String method, List<InvalidLockedMethodsException.Problem> found) {

    ProblemCollector(String method) {
        this(method, new ArrayList<>());
    }

    void add(String attribute, String problem, String cure) {
        found.add(new InvalidLockedMethodsException.Problem(method, attribute, problem, cure));
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
