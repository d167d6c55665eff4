package io.distlock.zookeeper.autoconfigure;

import io.distlock.zookeeper.ZooKeeperCallException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains why an application that needs a lock to start cannot have it, if the answer of ZooKeeper shows what to do. */
class ZooKeeperLockFailureAnalyzer extends AbstractFailureAnalyzer<ZooKeeperCallException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, ZooKeeperCallException cause) {
        return cause.cure()
                .map(cure -> new FailureAnalysis(
                        "Locks cannot be kept in ZooKeeper: " + cause.problem() + ".", cure + ".", cause))
                .orElse(null);
    }
}
