package io.distlock.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says where a lock provider can be had from. */
final class NoLockProviderFailureAnalyzer extends AbstractFailureAnalyzer<NoLockProviderException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, NoLockProviderException cause) {
        return new FailureAnalysis(
                "The application uses distributed locks, but no lock provider is configured that could grant them."
                        + " If a provider's module is on the class path already, it lacks its configuration or the"
                        + " client of its store.",
                "Choose one:\n" + ProviderAdvice.MODULES,
                cause);
    }
}
