package io.distlock.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says how to choose between several lock providers. */
final class AmbiguousLockProviderFailureAnalyzer extends AbstractFailureAnalyzer<AmbiguousLockProviderException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, AmbiguousLockProviderException cause) {
        String providers = String.join(", ", cause.providers());
        return new FailureAnalysis(
                "There are several lock providers (" + providers + "), and none has been chosen as the default one.",
                "Set distributed-lock.provider to one of " + providers + ". To use another one beside it, name that"
                        + " one: @DistributedLock(provider = \"…\") or LockClients.get(\"…\"). Of redis, redlock and"
                        + " etcd, each that is not the default one must be switched on as well:"
                        + " distributed-lock.<its name>.enabled=true.",
                cause);
    }
}
