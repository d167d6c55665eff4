package io.distlock.spring.autoconfigure;

import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import java.util.stream.Collectors;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Lists every problem with methods that are annotated to be locked, each with its fix. */
final class LockedMethodsFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockedMethodsException> {

    @Override
    protected FailureAnalysis analyze(Throwable failure, InvalidLockedMethodsException cause) {
        return new FailureAnalysis(
                cause.annotations() + " cannot be applied as written (problems: "
                        + cause.problems().size() + "):\n\n"
                        + cause.problems().stream()
                                .map(each -> "%s%n   %s: %s%s%n   -> %s"
                                        .formatted(
                                                each.method(),
                                                each.attribute(),
                                                each.problem(),
                                                each.problem().endsWith("?") ? "" : ".",
                                                each.cure()))
                                .collect(Collectors.joining("\n\n")),
                "Apply the fix after each arrow.",
                cause);
    }
}
