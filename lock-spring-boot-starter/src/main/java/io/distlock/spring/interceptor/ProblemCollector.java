package io.distlock.spring.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Collects the problems of one method, to report them all at once. Not thread-safe. */
record ProblemCollector(LockedMethod method, List<InvalidLockedMethodsException.Problem> found) {

    ProblemCollector(LockedMethod method) {
        this(method, new ArrayList<>());
    }

    void add(String attribute, String problem, String cure) {
        found.add(new InvalidLockedMethodsException.Problem(method.describe(), attribute, problem, cure));
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
