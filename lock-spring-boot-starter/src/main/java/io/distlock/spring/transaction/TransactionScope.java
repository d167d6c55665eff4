package io.distlock.spring.transaction;

import io.distlock.LockException;
import io.distlock.spring.context.CallContext;
import io.distlock.spring.context.Hold;
import io.distlock.spring.context.OuterScope;
import io.distlock.spring.context.Stay;
import io.distlock.spring.execution.OuterScopes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transactions bound to a thread, which hold locks taken inside them until they complete. Thread-safe. */
public final class TransactionScope implements OuterScopes {

    private static final Logger log = LoggerFactory.getLogger(TransactionScope.class);

    @Override
    public OuterScope current() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return OuterScope.NONE;
        }
        return find().orElseGet(TransactionScope::register).locks;
    }

    /** The locks taken inside the transaction on this thread. */
    static List<Hold> kept() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                ? find().map(found -> found.locks.holds()).orElseGet(List::of)
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
            for (Stay stay : locks.complete()) {
                try {
                    stay.close();
                } catch (LockException | IllegalStateException notHeld) {
                    KeptLocks.ignoreLoss(notHeld);
                }
            }
        }
    }

    /** The locks taken inside one transaction, held until it completes. Thread-safe. */
    static final class KeptLocks implements OuterScope {

        private final List<Stay> stays = new ArrayList<>();
        private boolean completed;

        @Override
        public synchronized void keep(Hold hold) {
            if (!completed) {
                hold.enter().ifPresent(stays::add);
            }
        }

        @Override
        public synchronized List<Hold> holds() {
            return stays.stream().map(Stay::hold).toList();
        }

        /** Ends the scope. The caller closes what this returns, in its order: last taken, first released. */
        synchronized List<Stay> complete() {
            completed = true;
            List<Stay> kept = new ArrayList<>(stays.size());
            for (int last = stays.size() - 1; last >= 0; last--) {
                kept.add(stays.get(last));
            }
            stays.clear();
            return kept;
        }

        /** Nobody is left to report it to: before the commit the guard does, and afterwards it is too late. */
        static void ignoreLoss(Throwable loss) {
            log.debug("A lock was lost by the end of the transaction in which it was taken", loss);
        }
    }
}
