package io.distlock.spring.transaction;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * Locks and transactions.
 *
 * @param holdUntilCompletion Whether a lock that is taken inside a transaction is released only after that
 *     transaction has completed. If not, others get the lock before they can see what was done under it.
 * @param askStoreBeforeCommit Whether the store, and not just the clock, must confirm each lock right before the
 *     commit of a transaction under it. One call per key; a silent store rolls the transaction back.
 */
@ConfigurationProperties(LockTransactionProperties.PREFIX)
record LockTransactionProperties(
        @DefaultValue("true") boolean holdUntilCompletion,
        @DefaultValue("false") boolean askStoreBeforeCommit) {

    static final String PREFIX = "distributed-lock.transactions";

    /** For infrastructure that is made before the bean of these properties could be. */
    static LockTransactionProperties in(Environment environment) {
        return Binder.get(environment).bindOrCreate(PREFIX, Bindable.of(LockTransactionProperties.class));
    }
}
