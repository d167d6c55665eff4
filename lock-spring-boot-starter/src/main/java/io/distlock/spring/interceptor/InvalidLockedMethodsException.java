package io.distlock.spring.interceptor;

import java.util.List;
import java.util.stream.Collectors;

/** Methods are annotated with a lock that cannot be taken as it is written. Lists all that is wrong. */
public final class InvalidLockedMethodsException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final List<LockProblem> problems;

    public InvalidLockedMethodsException(List<LockProblem> problems) {
        super(problems.stream()
                .map(LockProblem::toString)
                .collect(Collectors.joining("\n- ", "@DistributedLock cannot be applied:\n- ", "")));
        this.problems = List.copyOf(problems);
    }

    public List<LockProblem> problems() {
        return problems;
    }
}
