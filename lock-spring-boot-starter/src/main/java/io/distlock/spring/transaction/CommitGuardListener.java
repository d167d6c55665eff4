package io.distlock.spring.transaction;

import io.distlock.spring.context.CallChain;
import io.distlock.spring.context.CallContext;
import io.distlock.spring.context.Hold;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Remembers under which locks each transaction was begun and, as the last thing before its commit, checks them and
 * those that were taken inside it. What it throws rolls the transaction back. Thread-safe.
 */
final class CommitGuardListener implements TransactionExecutionListener {

    private final CommitGuard guard;

    /** Only transactions that were begun under a lock; each is taken out at its end. By identity. */
    private final Map<TransactionExecution, CallChain> begun = new ConcurrentHashMap<>();

    CommitGuardListener(CommitGuard guard) {
        this.guard = guard;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        CallChain chain = CallContext.chain();
        if (failure == null && !chain.isEmpty() && isBoundToThread(transaction)) {
            begun.put(transaction, chain);
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (isBoundToThread(transaction)) {
            List<Hold> holds = new ArrayList<>(TransactionScopes.kept());
            holds.addAll(begun.getOrDefault(transaction, CallChain.EMPTY).holds());
            guard.check(holds);
        }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        begun.remove(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        begun.remove(transaction);
    }

    /** The thread on which a reactive one happens to be begun says nothing about it. */
    private static boolean isBoundToThread(TransactionExecution transaction) {
        return !(transaction instanceof ReactiveTransaction);
    }
}
