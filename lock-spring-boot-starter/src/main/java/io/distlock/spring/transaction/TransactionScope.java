package io.distlock.spring.transaction;

import io.distlock.LockException;
import io.distlock.spring.execution.CallContext;
import io.distlock.spring.execution.EnclosingScope;
import io.distlock.spring.execution.ReferenceCountedLock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transactions bound to a thread, which hold locks taken inside them until they complete. Thread-safe. */
final class TransactionScope implements EnclosingScope.Resolver {

    private static final Logger log = LoggerFactory.getLogger(TransactionScope.class);

    @Override
    public EnclosingScope current() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return EnclosingScope.NONE;
        }
        return find().orElseGet(TransactionScope::register).locks;
    }

    /** The locks taken inside the transaction on this thread. */
    static List<ReferenceCountedLock> kept() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                ? find().map(found -> found.locks.kept()).orElseGet(List::of)
                : List.of();
    }

    private static Optional<Completion> find() {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(Completion.class::isInstance)
                .map(Completion.class::cast)
                .findFirst();
    }

    private static Completion register() {
        Completion completion = new Completion(new KeptLocks());
        TransactionSynchronizationManager.registerSynchronization(completion);
        CallContext.enter(completion.locks);
        return completion;
    }

    /** Runs after the commit or rollback; the order relative to other synchronizations is open. */
    private record Completion(KeptLocks locks) implements TransactionSynchronization {

        @Override
        public void afterCompletion(int status) {
            CallContext.leave(locks);
            for (ReferenceCountedLock.Reference reference : locks.complete()) {
                try {
                    reference.close();
                } catch (LockException | IllegalStateException notHeld) {
                    KeptLocks.ignoreLoss(notHeld);
                }
            }
        }
    }

    /** The locks taken inside one transaction, held until it completes. Thread-safe. */
    static final class KeptLocks implements EnclosingScope {

        private final List<ReferenceCountedLock.Reference> references = new ArrayList<>();
        private boolean completed;

        @Override
        public synchronized void keep(ReferenceCountedLock lock) {
            if (!completed) {
                lock.addReference().ifPresent(references::add);
            }
        }

        @Override
        public synchronized List<ReferenceCountedLock> kept() {
            return references.stream()
                    .map(ReferenceCountedLock.Reference::target)
                    .toList();
        }

        /** Ends the scope. The caller closes what this returns, in its order: last taken, first released. */
        synchronized List<ReferenceCountedLock.Reference> complete() {
            completed = true;
            List<ReferenceCountedLock.Reference> kept = new ArrayList<>(references.size());
            for (int last = references.size() - 1; last >= 0; last--) {
                kept.add(references.get(last));
            }
            references.clear();
            return kept;
        }

        /** Nobody is left to report it to: before the commit the guard does, and afterwards it is too late. */
        static void ignoreLoss(Throwable loss) {
            log.debug("A lock was lost by the end of the transaction in which it was taken", loss);
        }
    }
}
