package io.distlock.spring.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Collects what is wrong with one method, so that all of it is told at once. Not thread-safe. */
final class Problems {

    private final LockedMethod method;
    private final List<LockProblem> found = new ArrayList<>();

    Problems(LockedMethod method) {
        this.method = method;
    }

    void add(String attribute, String problem, String cure) {
        found.add(new LockProblem(method.describe(), attribute, problem, cure));
    }

    /** The value, or a problem made of the reason why there is none. */
    <T> Optional<T> trying(String attribute, String cure, Supplier<T> value) {
        try {
            return Optional.of(value.get());
        } catch (IllegalArgumentException refusal) {
            add(attribute, String.valueOf(refusal.getMessage()), cure);
            return Optional.empty();
        }
    }

    List<LockProblem> found() {
        return found;
    }

    void throwIfAny() {
        if (!found.isEmpty()) {
            // Two locks of one method may share a problem.
            throw new InvalidLockedMethodsException(found.stream().distinct().toList());
        }
    }
}
