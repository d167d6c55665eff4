package io.distlock.jdbc.autoconfigure;

import io.distlock.jdbc.JdbcLockSetupException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains why the database cannot keep locks, and what to do about it. */
class JdbcLockFailureAnalyzer extends AbstractFailureAnalyzer<JdbcLockSetupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, JdbcLockSetupException cause) {
        return new FailureAnalysis(
                "Locks cannot be kept in the database: " + cause.problem() + ".", cause.cure(), cause);
    }
}
