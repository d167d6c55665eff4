package io.distlock.spring.autoconfigure;

import io.distlock.spring.UnknownLockProviderException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/** Says which lock providers there are, when another one was asked for. */
final class UnknownLockProviderFailureAnalyzer extends AbstractFailureAnalyzer<UnknownLockProviderException> {

    private static final String PROPERTY = LockProperties.PREFIX + "provider";

    private final Environment environment;

    UnknownLockProviderFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnknownLockProviderException cause) {
        boolean byProperty = cause.provider().equals(environment.getProperty(PROPERTY));
        String asked = (byProperty ? PROPERTY + " names" : "The application asks for") + " the lock provider '"
                + cause.provider() + "', but ";
        if (cause.known().isEmpty()) {
            return new FailureAnalysis(
                    asked + "there is none at all.",
                    "Add the module that brings it, or choose another:\n" + ProviderAdvice.MODULES,
                    cause);
        }
        String known = String.join(", ", cause.known());
        return new FailureAnalysis(
                asked + "there are only: " + known + ".",
                "Write one of these names (" + known + "), or add what is missing:\n" + ProviderAdvice.MODULES
                        + ProviderAdvice.BESIDE,
                cause);
    }
}
