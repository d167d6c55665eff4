package io.distlock.spring.interceptor;

import java.io.Serializable;
import java.util.List;
import java.util.stream.Collectors;

/** Locks and roles that cannot be applied as annotated. Lists every problem with its fix. */
public final class InvalidLockedMethodsException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final List<Problem> problems;

    public InvalidLockedMethodsException(List<Problem> problems) {
        super(problems.stream()
                .map(Problem::toString)
                .collect(Collectors.joining("\n- ", annotations(problems) + " cannot be applied:\n- ", "")));
        this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
        return problems;
    }

    /** The annotations with problems: {@code @DistributedLock}, {@code @LeaderOnly}, or both with "and" in between. */
    public String annotations() {
        return annotations(problems);
    }

    private static String annotations(List<Problem> problems) {
        return problems.stream().map(Problem::annotation).distinct().sorted().collect(Collectors.joining(" and "));
    }

    /** What is wrong with a method, in which attribute of an annotation, and what to do. */
    public record Problem(String annotation, String method, String attribute, String problem, String cure)
            implements Serializable {

        @Override
        public String toString() {
            return method + ", " + attribute + ": " + problem + (problem.endsWith("?") ? " " : ". ") + cure;
        }
    }
}
