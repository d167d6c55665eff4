package io.distlock.spring.transaction;

import io.distlock.LockException;
import io.distlock.spring.execution.EnclosingScope;
import io.distlock.spring.execution.HeldLocks;
import io.distlock.spring.execution.ReferenceCountedLock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transactions bound to a thread, which hold locks taken inside them until they complete. Thread-safe. */
record TransactionScope(CommitGuard guard, boolean holdsUntilCompletion) implements EnclosingScope.Resolver {

    private static final Logger log = LoggerFactory.getLogger(TransactionScope.class);

    @Override
    public EnclosingScope current() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return EnclosingScope.NONE;
        }
        // Keeping none, it only shows them to the resources that refuse stale holders.
        return holdsUntilCompletion ? find().orElseGet(this::register) : lock -> guard.fence(List.of(lock));
    }

    @Override
    public boolean isFencing() {
        return guard.isFencing();
    }

    /** The locks taken inside the transaction on this thread. */
    static List<ReferenceCountedLock> kept() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                ? find().map(Completion::kept).orElseGet(List::of)
                : List.of();
    }

    private static Optional<Completion> find() {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(Completion.class::isInstance)
                .map(Completion.class::cast)
                .findFirst();
    }

    private Completion register() {
        Completion completion = new Completion(guard);
        TransactionSynchronizationManager.registerSynchronization(completion);
        HeldLocks.enter(completion);
        return completion;
    }

    /** Runs after the commit or rollback; its order among synchronizations is unspecified. */
    private static final class Completion extends KeptLocks implements TransactionSynchronization {

        private final CommitGuard guard;

        Completion(CommitGuard guard) {
            this.guard = guard;
        }

        @Override
        void kept(ReferenceCountedLock lock) {
            guard.fence(List.of(lock));
        }

        @Override
        public void afterCompletion(int status) {
            HeldLocks.leave(this);
            for (ReferenceCountedLock.Reference reference : complete()) {
                try {
                    reference.close();
                } catch (LockException | IllegalStateException notHeld) {
                    ignoreLoss(notHeld);
                }
            }
        }
    }

    /** The locks taken inside one transaction, held until it completes. Thread-safe. */
    static class KeptLocks implements EnclosingScope {

        private final List<ReferenceCountedLock.Reference> references = new ArrayList<>();
        private boolean completed;

        @Override
        public final void keep(ReferenceCountedLock lock) {
            synchronized (this) {
                ReferenceCountedLock.Reference reference = completed ? null : lock.addReference();
                if (reference != null) {
                    references.add(reference);
                }
            }
            kept(lock);
        }

        /** Called after a lock was kept, before the body that asked for it runs. */
        void kept(ReferenceCountedLock lock) {}

        @Override
        public final synchronized List<ReferenceCountedLock> kept() {
            return references.stream()
                    .map(ReferenceCountedLock.Reference::target)
                    .toList();
        }

        /** Ends the scope. The caller closes what this returns, in order: last taken, first released. */
        final synchronized List<ReferenceCountedLock.Reference> complete() {
            completed = true;
            List<ReferenceCountedLock.Reference> kept = new ArrayList<>(references);
            Collections.reverse(kept);
            references.clear();
            return kept;
        }

        /** Too late to report: the guard has done so before the commit. */
        static void ignoreLoss(Throwable loss) {
            log.debug("A lock that was acquired in a transaction was lost before the transaction ended", loss);
        }
    }
}
