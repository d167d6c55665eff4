package io.distlock.spring.autoconfigure;

import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Lists all problems with annotated methods, each with its fix. */
final class LockedMethodsFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockedMethodsException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockedMethodsException cause) {
        List<String> problems = new ArrayList<>();
        List<String> cures = new ArrayList<>();
        for (InvalidLockedMethodsException.Problem each : cause.problems()) {
            int number = problems.size() + 1;
            problems.add("%d. %s%n   %s: %s".formatted(number, each.method(), each.attribute(), each.problem()));
            cures.add("%d. %s".formatted(number, each.cure()));
        }
        return new FailureAnalysis(
                "@DistributedLock cannot be applied as it is written (problems: " + problems.size() + "):\n\n"
                        + String.join("\n", problems),
                String.join("\n", cures),
                cause);
    }
}
